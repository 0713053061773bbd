"""The keys for encryption and login. The lab's clients speak in the clear, so all of them rest.

In Java they rest while security.protocol is PLAINTEXT; here another value than the default is refused, for whoever sets one expects
something of it. They are here because a client prints every key it knows when it starts.
"""
from kafkalab.config.keys import Key, Type, fixed, one_of_any_case

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
sasl.login.connect.timeout.ms                        INT       3.6=null
sasl.login.read.timeout.ms                           INT       3.6=null
sasl.login.refresh.buffer.seconds                    SHORT       300
sasl.login.refresh.min.period.seconds                SHORT       60
sasl.login.refresh.window.factor                     DOUBLE    0.8
sasl.login.refresh.window.jitter                     DOUBLE    0.05
sasl.login.retry.backoff.max.ms                      LONG      3.6=10000
sasl.login.retry.backoff.ms                          LONG      3.6=100
sasl.mechanism                                       STRING    GSSAPI
sasl.oauthbearer.allow.unverified.audience           BOOLEAN   4.4=false
sasl.oauthbearer.allow.unverified.issuer             BOOLEAN   4.4=false
sasl.oauthbearer.assertion.algorithm                 STRING    4.4=RS256
sasl.oauthbearer.assertion.claim.aud                 STRING    4.4=null
sasl.oauthbearer.assertion.claim.exp.seconds         INT       4.4=300
sasl.oauthbearer.assertion.claim.iss                 STRING    4.4=null
sasl.oauthbearer.assertion.claim.jti.include         BOOLEAN   4.4=false
sasl.oauthbearer.assertion.claim.nbf.seconds         INT       4.4=60
sasl.oauthbearer.assertion.claim.sub                 STRING    4.4=null
sasl.oauthbearer.assertion.file                      STRING    4.4=null
sasl.oauthbearer.assertion.private.key.file          STRING    4.4=null
sasl.oauthbearer.assertion.private.key.passphrase    PASSWORD  4.4=null
sasl.oauthbearer.assertion.template.file             STRING    4.4=null
sasl.oauthbearer.client.credentials.client.id        STRING    4.4=null
sasl.oauthbearer.client.credentials.client.secret    PASSWORD  4.4=null
sasl.oauthbearer.clock.skew.seconds                  INT       3.6=30
sasl.oauthbearer.expected.audience                   LIST      3.6=null 4.4=[]
sasl.oauthbearer.expected.issuer                     STRING    3.6=null
sasl.oauthbearer.header.urlencode                    BOOLEAN   3.9=false
sasl.oauthbearer.jwks.endpoint.refresh.ms            LONG      3.6=3600000
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms  LONG      3.6=10000
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms      LONG      3.6=100
sasl.oauthbearer.jwks.endpoint.url                   STRING    3.6=null
sasl.oauthbearer.jwt.retriever.class                 CLASS     4.4=org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever
sasl.oauthbearer.jwt.validator.class                 CLASS     4.4=org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator
sasl.oauthbearer.scope                               STRING    4.4=null
sasl.oauthbearer.scope.claim.name                    STRING    3.6=scope
sasl.oauthbearer.sub.claim.name                      STRING    3.6=sub
sasl.oauthbearer.token.endpoint.url                  STRING    3.6=null
security.providers                                   STRING    2.8=null
ssl.cipher.suites                                    LIST      null 4.4=[]
ssl.enabled.protocols                                LIST      [TLSv1.2,TLSv1.1,TLSv1] 2.8=[TLSv1.2,TLSv1.3]
ssl.endpoint.identification.algorithm                STRING    https
ssl.engine.factory.class                             CLASS     2.8=null
ssl.key.password                                     PASSWORD  null
ssl.keymanager.algorithm                             STRING    SunX509
ssl.keystore.certificate.chain                       STRING    2.8=null
ssl.keystore.key                                     PASSWORD  2.8=null
ssl.keystore.location                                STRING    null
ssl.keystore.password                                PASSWORD  null
ssl.keystore.type                                    STRING    JKS
ssl.protocol                                         STRING    TLS 2.8=TLSv1.3
ssl.provider                                         STRING    null
ssl.secure.random.implementation                     STRING    null
ssl.trustmanager.algorithm                           STRING    PKIX
ssl.truststore.certificates                          STRING    2.8=null
ssl.truststore.location                              STRING    null
ssl.truststore.password                              PASSWORD  null
ssl.truststore.type                                  STRING    JKS
"""
"""key, type, default; `3.6=x`: from client 3.6 on."""

WHY = "encryption and login (SSL, SASL) are not part of the lab: its clients speak in the clear"


WHOLE_NUMBERS = (Type.SHORT, Type.INT, Type.LONG)


def _read(table: str) -> tuple[Key, ...]:
    keys = []
    for row in table.strip().splitlines():
        name, type_name, *changes = row.split()
        kind = Type[type_name]
        defaults = {}
        for change in changes:
            version, given, text = change.partition("=")
            defaults[version if given else "2.1"] = _default(kind, text if given else change)
        keys.append(fixed(name, kind, defaults, WHY))
    return tuple(keys)


def _default(kind: Type, text: str) -> object:
    if text == "null":
        return None
    if kind is Type.LIST:
        return tuple(part for part in text.strip("[]").split(",") if part)
    if kind is Type.BOOLEAN:
        return text == "true"
    return float(text) if kind is Type.DOUBLE else int(text) if kind in WHOLE_NUMBERS else text


SECURITY_KEYS = (
    fixed("security.protocol", Type.STRING, "PLAINTEXT",
          WHY, {"3.6": one_of_any_case("SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT")}),
    *_read(TABLE),
)
"""The same for producers and consumers."""
