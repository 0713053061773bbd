"""The keys for encryption and login (SslConfigs, SaslConfigs). The lab's clients do not encrypt, so
none of them has an effect.

Java ignores them while security.protocol is PLAINTEXT. The lab refuses another value than the
default, because somebody who sets one expects an effect. They are here because a client prints
every key it knows when it starts.
"""

from kafkalab.config.keys import LATER, ConfigKey, Type, fixed, keys_of

TABLE = """
sasl.client.callback.handler.class                   CLASS     null
sasl.jaas.config                                     PASSWORD  null
sasl.kerberos.kinit.cmd                              STRING    /usr/bin/kinit
sasl.kerberos.min.time.before.relogin                LONG      60000
sasl.kerberos.service.name                           STRING    null
sasl.kerberos.ticket.renew.jitter                    DOUBLE    0.05
sasl.kerberos.ticket.renew.window.factor             DOUBLE    0.8
sasl.login.callback.handler.class                    CLASS     null
sasl.login.class                                     CLASS     null
sasl.login.connect.timeout.ms                        INT       -
sasl.login.read.timeout.ms                           INT       -
sasl.login.refresh.buffer.seconds                    SHORT       300
sasl.login.refresh.min.period.seconds                SHORT       60
sasl.login.refresh.window.factor                     DOUBLE    0.8
sasl.login.refresh.window.jitter                     DOUBLE    0.05
sasl.login.retry.backoff.max.ms                      LONG      -
sasl.login.retry.backoff.ms                          LONG      -
sasl.mechanism                                       STRING    GSSAPI
sasl.oauthbearer.allow.unverified.audience           BOOLEAN   -
sasl.oauthbearer.allow.unverified.issuer             BOOLEAN   -
sasl.oauthbearer.assertion.algorithm                 STRING    -
sasl.oauthbearer.assertion.claim.aud                 STRING    -
sasl.oauthbearer.assertion.claim.exp.seconds         INT       -
sasl.oauthbearer.assertion.claim.iss                 STRING    -
sasl.oauthbearer.assertion.claim.jti.include         BOOLEAN   -
sasl.oauthbearer.assertion.claim.nbf.seconds         INT       -
sasl.oauthbearer.assertion.claim.sub                 STRING    -
sasl.oauthbearer.assertion.file                      STRING    -
sasl.oauthbearer.assertion.private.key.file          STRING    -
sasl.oauthbearer.assertion.private.key.passphrase    PASSWORD  -
sasl.oauthbearer.assertion.template.file             STRING    -
sasl.oauthbearer.client.credentials.client.id        STRING    -
sasl.oauthbearer.client.credentials.client.secret    PASSWORD  -
sasl.oauthbearer.clock.skew.seconds                  INT       -
sasl.oauthbearer.expected.audience                   LIST      -
sasl.oauthbearer.expected.issuer                     STRING    -
sasl.oauthbearer.header.urlencode                    BOOLEAN   -
sasl.oauthbearer.jwks.endpoint.refresh.ms            LONG      -
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms  LONG      -
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms      LONG      -
sasl.oauthbearer.jwks.endpoint.url                   STRING    -
sasl.oauthbearer.jwt.retriever.class                 CLASS     -
sasl.oauthbearer.jwt.validator.class                 CLASS     -
sasl.oauthbearer.scope                               STRING    -
sasl.oauthbearer.scope.claim.name                    STRING    -
sasl.oauthbearer.sub.claim.name                      STRING    -
sasl.oauthbearer.token.endpoint.url                  STRING    -
security.providers                                   STRING    -
ssl.cipher.suites                                    LIST      null
ssl.enabled.protocols                                LIST      [TLSv1.2,TLSv1.1,TLSv1]
ssl.endpoint.identification.algorithm                STRING    https
ssl.engine.factory.class                             CLASS     -
ssl.key.password                                     PASSWORD  null
ssl.keymanager.algorithm                             STRING    SunX509
ssl.keystore.certificate.chain                       STRING    -
ssl.keystore.key                                     PASSWORD  -
ssl.keystore.location                                STRING    null
ssl.keystore.password                                PASSWORD  null
ssl.keystore.type                                    STRING    JKS
ssl.protocol                                         STRING    TLS
ssl.provider                                         STRING    null
ssl.secure.random.implementation                     STRING    null
ssl.trustmanager.algorithm                           STRING    PKIX
ssl.truststore.certificates                          STRING    -
ssl.truststore.location                              STRING    null
ssl.truststore.password                              PASSWORD  null
ssl.truststore.type                                  STRING    JKS
"""
"""key, type, default in client 2.1; `-`: a later release brings the key."""

WHY = "encryption and login (SSL, SASL) are not part of the lab: its clients speak in the clear"


WHOLE_NUMBERS = (Type.SHORT, Type.INT, Type.LONG)


def _read(table: str) -> tuple[ConfigKey, ...]:
    keys = []
    for row in table.strip().splitlines():
        name, type_name, default = row.split()
        kind = Type[type_name]
        keys.append(fixed(name, kind, _default(kind, default), WHY))
    return tuple(keys)


def _default(kind: Type, text: str) -> object:
    if text == "-":
        return LATER
    if text == "null":
        return None
    if kind is Type.LIST:
        return tuple(part for part in text.strip("[]").split(",") if part)
    if kind is Type.BOOLEAN:
        return text == "true"
    return float(text) if kind is Type.DOUBLE else int(text) if kind in WHOLE_NUMBERS else text


SECURITY_KEYS = keys_of(
    "client", fixed("security.protocol", Type.STRING, "PLAINTEXT", WHY), *_read(TABLE)
)
"""The same for producers and consumers."""
