"""What ordinary English sentences are made of: the small words that carry grammar, the verbs, the
everyday words.

An explanation cannot be written without them, a pile of keywords has almost none; `gaming.py`
counts them, `spelling.py` leaves them alone.
"""

from __future__ import annotations

ARTICLES = frozenset("the a an its their your my our his every each any".split())
PREPOSITIONS = frozenset(
    (
        "of to in on at by for with from into onto behind after before between over under through "
        "until till about against per as than via without within during"
    ).split()
)
CONJUNCTIONS = frozenset(
    (
        "and or but because so since if when while that which who whose where why how although "
        "though then thus hence therefore unless whether otherwise however also only even just "
        "still already instead"
    ).split()
)
PRONOUNS = frozenset(
    (
        "it they them this that these those there here he she we you i one ones itself themselves "
        "both all some none other another what"
    ).split()
)
AUXILIARIES = frozenset(
    (
        "is are was were be been being am do does did done has have had having can could will "
        "would shall should may might must not no never need needs let lets cannot"
    ).split()
)
FUNCTION_WORDS = ARTICLES | PREPOSITIONS | CONJUNCTIONS | PRONOUNS | AUXILIARIES

# Verbs students use to say what happens; their endings are tried too.
_VERBS = """
open close keep connect make create get use know see start finish build call return wait block delay
go stay remain stop share send answer reply come take give put hold leave die drop expire fix work
fail break solve help compare match find look point mean differ change become identify index track
store treat think say want happen run read write set initialise initialize construct complete
publish escape leak assign expose reuse save cost waste need depend resolve lead lose miss kick
consider replace learn discover ask allow avoid prevent ensure guarantee separate queue fetch poll
overwrite delete remove arrive receive decide belong survive tolerate accept reject own happen
delete mean converge recompute
""".split()
VERBS = (
    frozenset(_VERBS)
    | frozenset(
        form
        for verb in _VERBS
        for form in (
            verb + "s",
            verb + "es",
            verb + "ed",
            verb.removesuffix("e") + "ed",
            verb.removesuffix("e") + "ing",
            verb + "ing",
            verb + verb[-1] + "ed",
            verb + verb[-1] + "ing",
            verb[:-1] + "ies",
            verb[:-1] + "ied",
        )
    )
    | frozenset(
        (
            "made kept built sent went gone came took given gave held left lost known knew seen "
            "saw done became meant thought said ran written wrote found broke broken stuck led "
            "began begun got gotten understood died dying put lies"
        ).split()
    )
)

_OTHERS = """
able above across actual actually again ago almost along always among anyway around away back basic
basically because become been begin behind below beside best better big bit body book both bring
business called came case cases cause certain change changes clear clearly code common company
compare completely computer correct correctly could country course data day days different difficult
direct directly doing done down during early easy either else end ends enough entire every
everything exactly example exist exists expected extra fact fast few field first follow following
found four full further general given good great group half hand hard help here high however idea
immediately important including inside instead into itself just keep kind know known large last
later least left less life like likely limit line little long longer look looks lot made main many
matter mean means member memory might mind minutes more most move much must name named names need
needed never new next night nothing number object often once only open order original other others
outside over own part particular parts people perhaps place point possible possibly probably problem
problems purpose question quick quickly quite rather reach real reality really reason reasons
receive request requests right room running safe safely same second seconds seen sense separate
server servers service several short should side similar simple simply single small somebody someone
something sometimes soon sort special specific still stop such sure system table talk talks teacher
tell than thank thanks their them then there these they thing things think third those though three
through time times together too total true try turn type under understand unless until upon user
using usual usually value values various very wait want wants ways well were what whatever when
where which while whole whose will with within without word words work works world would wrong year
years yes yet state stated states status story theory theme trace track trade traffic train trust
stage starve steady stand standard stay share shape sharp sheet shift since brand bread cloth
clothes clothing loader lender header threat treat breath breathe feature future nature mature
please professor student students sleep sheep poor pool pole polls port ports sport report host
hosts ghost post posts cost costs lost most must dust just bust past fast cast vast last list mist
fist gist heart hearts head heads beat beats
""".split()
EVERYDAY = FUNCTION_WORDS | VERBS | frozenset(_OTHERS)
