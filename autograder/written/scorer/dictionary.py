"""Ordinary English words that look like a misspelt word of a rubric, and are not: "older" is not
"order", "fault" not "faulty".

The frequent words of English (the first 10,000 of five letters or more by the frequency list of
pyspellchecker 0.9, MIT licence) that lie within the slips `spelling.py` allows of a word some
rubric uses. A word missing here costs little: it is respelt as before. The words of the subject
stand before them.
"""

from __future__ import annotations

_SUBJECT = """
failover failovers liveness modulo modulus retries retried retry writable writeable sharded shard
sharding concurrency concurrent changelog changelogs scalable stateful stateless lookup lookups
maths needn weren wouldn dedupe dedup deduped deadlock deadlocks poller polling callback callbacks
idempotent idempotence latency throughput topic topics offset offsets broker brokers partition
partitions consumer consumers producer producers replica replicas replicated replication cluster
clusters leader leaders follower followers metadata rebalance rebalances rebalancing assignor
assignors schema serializer config configs timestamp timestamps timeout timeouts commit commits
committed heartbeat heartbeats linger purgatory bootstrap listener listeners coordinator
coordinators acknowledgement acknowledgements modularity unset synchronise synchronised synchronize
synchronized reassign reassigns reassigned linkedin idled poison payload payloads namespace runtime
workload workloads queueing dequeue enqueue cached caching consumes consumed producing segment
segments retention compaction compacted tombstone tombstones watermark epoch epochs fencing fenced
zombie zombies quorum controller election elected transactional transaction transactions deduplicate
deduplicated deduplication
"""

WORDS = frozenset(_SUBJECT.split()) | frozenset(
    """
abort aborted abortion absolute accent accept acceptable acceptance accepted accepting accepts
accessed account accountable accountant accounting accounts accused acknowledge acted acting
activate activated activating active actively activities actresses addition adopt adopted adopting
adoption advance advances advancing advise aggravated aging aiding alert alerted alien aliens
aligned alike allergic allergy alone alongside altar alter altered altering alternate ambitious
amongst announcing apparent appeal appealed appealing appeals applaud applause apple apples applied
applies architect arrival arriving artery assemble assembled assembly assisted assurance assure
assured asteroid atone attempt attempted attempting auction authorities authorization authorize
authorized automated availability awake awaken awakened award awarded awards bachelor backed backing
backyard bailing baked bakery bandage bandages bandit bandits bands baseball based basement bases
bashed bathe bathed bathing bathroom baths bathtub batter battered batteries battery beads beaming
beams beans beard bearded bearer bearing bears beast beasts beaten beating bedside beers begging
behave behaves beings believing belong belonged belonging belongs beloved belts bends beneficial
betting bidding biggest bikes billing binding binds bingo birds bitch bitches bitching bites bitter
bitterness black blacked blackmail blackout blacks bleak blend blinding blinds blink blinking bloke
blokes blond blonde blooming blowing blown blows boats boiling bonded bonding bonds bones bonus
booked booking boring botched bought bounce bounced bouncing bounty boxed boxer boxers brake brakes
branch branches breach breached breast breasts breathed breathes breathing bridge bridges brigade
bright brighten brighter bringing brings brink broker brokers brunch buffet bugged bugger bugging
bullying bundle burned butcher butchered butter butterfly cache cached cakes callback callbacks
caller calmed calms camel camera cameras camped camping cancel canceling cancer cannon cannons cards
cared career careers careless cares caress caretaker carriage carried carrier carries carrot carrots
cashed cassette casts catches cathedral catholic causes caves ceases cells certainty chance chances
channel channels chant chanting chaos chapel chaps chapter chapters charge charged charges charging
charter chase chased chases chatter chattering chatting cheat cheated cheating cheats checks cheek
cheeks cheeky chick chicken chickens chicks chili chill chilling chilly choke choked choking
choosing chops chores chose chosen chuck chucked chuckle chuckles chuckling circulation clans
clapping clarify clarity clash classic classical classified clatters clause claws cleaning clearance
cleared clearer clearing clears clerk click clicking clicks client clinical cloak cloaking clone
cloned closely closer closest closet closure clutch coaches coalition coats cockpit cocks cocktail
cocky codes colder collect collecting collection collective collector collects college combined
comeback comedian comedy comet command commanded commander commanders commanding commands commence
commencing commend comment comments commission commotion communist communists communities community
companies companion companions compass compassion compassionate compatible compel compelled
compelling compensate compete competent competing competition competitive competitors compiler
completion complex complexity complicate complications compliment compliments component components
composed comprehend compressed compresses compromising compulsive compute computed computers
computes comrades concealed conceived concepts concern concerning concerns concert concurrent
concussion condemned conducted confess confessed confessing confession confide confided confidence
confident confidential configure confine confined confirm confirmed confirming confirms confiscate
confused confusing conned conquer conquered conquering consent conserve considerable considerably
considerate consideration consistent consistently constable constant constantly constitute
constitutes construction constructive constructor constructors consulate consult consultant
consulted consulting consults consume consumed consumes consuming consumption contact contacted
contacting contacts contagious contain contained container containers containing containment
contains contempt contend content contents contest context contiguous continent continental
contingency continually continue continued continuing continuous continuously contract contracted
contractor contracts contradict contrary contrast control controlled controlling controls
controversial convention conventional converge converges conversion convert converted convicted
conviction convictions convicts convince convinced cooked cooled cooped coordinate coordinated
coordinates coordinating coordination copied copying copyright corrected corrections costly costume
costumes coughing council counsel counseling counselor count countdown counted counter counters
counting countless countries county courier court courtesy courting courtroom courts courtyard crate
crater crates craving creaking creaks cream creation creative creator creature creatures creeping
crept criminal criminals criteria critic criticism criticize critics crooked crops crotch crown
crowned crows crunch crush crushed crushing cunning cures currency curry curse cursed curses curtain
curtains custody cutting dagger damaging dancer dancers dared daring database dates deadliest
deadline deadlock dealer dealers dealing dealings deals dearly death deaths debating decade decades
decay deceased deception deciding decipher decision decisions decisive declaration declarative
declare declaring decline declined decoupling decrease decree dedicate dedicated dedication defeat
defeated defeating defeats defect defective defend defendant defendants defended defender defending
defense defenses defensive defied definite delegates delegation deleted deletes deletion deliberate
deliberately delicate delighted delta delusion delusional delusions demon demonic demons denies
denying dependent deprived depth depths describing description deserted deserving destination detail
detailed details detect detected detecting detection detective detectives detector detention
determination determine determined determines detest detonation devotion dialed difference
differences dings directed direction directions disable discharged discount discourage discoveries
discredit discreet distance distant distinct distinction distinctive distinctly distinguish
distorted distract distracted distracting distraction distribute distribution district divide
divides divine diving division divisions dominant dominate dominated donation donations doubling
doubted downhill download downside downtime downtown downward drank drawing drawings drawn drink
drinking drinks dripping drone drones drying dudes duration earlier earliest easiest eastern eating
editing edition effect effective effectively elect elected election elections electric eliminating
elimination elusive emily empire employ employed employer employment emptied emptiness enable
enabled enabling enchanted encrypted endanger endangered endure endured enduring entered entitled
entity entrance entries entrust entrusted equation equity estate eternal eternally evening evenings
evolution examination exceedingly excellency excellent excessive exchanging excited exciting
exclusive excused execution existed existence existing exits expect expecting expects expense
expenses expensive expert expertise experts expiry explain explains explode exploded exploding
exploit exploited exploiting explore explored explosive explosives export exposure express expressed
expressing expression extend extended extending extends extension extensive extent extreme extremely
faction factor factors faculty faith faithful fallen falling fallout falls false falsely fantasy
farmer farmers farther fasten fastest father fathers fault faults federal feedback feeding feeds
fellow fellows fencing fetal fever fiction fictional fiddle fields fight fighter fighters fighting
fights figures filed files filing filled fills filmed finance financed finances financial financing
findings finest firearms fired fireman firemen fireplace firepower fires firewall fireworks fished
fishes fists flashed flatter flattered flattering flaws flesh floor floors flower flowers flowing
flown followed follower followers follows foods force forced foresee forest forests forge forged
forgot formed foster fountain fraction freed freedom freeing freelance freely freeway freeze freezer
freezes freezing frequencies friction fried fright frighten frightened frightens frightful frost
froze function functional functioning functions funded funding funds furthest gained gaining garage
generally generals generate generated generating generator generators generosity generous ginger
glowing govern government governments governor graduate graduated graduating graduation grains
granted grateful grease greased greasy greatest greet greeted greeting greetings gross ground
grounded grounds growling growls grown growth guaranty guest guests halls halted hammer hammered
handcuffs handed handful handing handle handled handles handling hands handshake handsome handy
hanged hanging hangs happiness hardcore hardened harder hardest hardly hardship hardware harness
harsh hating headache headed heading headline healing heals health healthy heard hearing hears
heartbeat heartfelt heartless hearty heated heater heating heaven heavenly heavens heavier heavily
helpful helpless herself highest hiking hiring historic historical history holed holes holler
homeland homeless homemade hometown homework honest honestly honesty hopes horribly horse horseback
horses hostage hostages hostess hostile hostiles hostility hosting house houses housing hysterical
ideas identification identities idleness ignorance ignorant ignoring imagination immediate impatient
implanted imported impress impressed impression impressive improve improved improvement improving
incense incentive incident incidents inclined include includes incoming incompetent increase
increased increasing increasingly incremental indebted indecent independence indicted indictment
infected infection infectious infernal infinitely infirmary influence influential initial initially
initials initiate initiated initiating initiative injected injecting insane insanely inserted
inspection installed instant instantly instinct instincts instructor instrument instrumental
instruments insurance intended intent intention intentionally intentions interact interaction
intercept intercepted interest interested interesting interests interface interfaces interfering
interior intermediate intern internal internally internals international internet interns internship
interpret interpreted interrupt interrupts intersection interval intervene intervention interview
interviewed interviewing interviews invading invention invest invested investing investment investor
investors invited inviting involve involvement involves involving issuing judging judgment jumbo
justice keeper killer killers kinda kindly kindness kings knots knowingly knowledge lacked lacking
lakes landed landing landlady landlord lands landscape lanes lantern largely largest laser lasted
lasting lasts lately latency latest latter layer layers leader leaders leaned leaning leaping leaps
lease leash leather ledge lending level levels lever leverage licking lifestyle lifted lifting
lighting liked likes liking linen lines linger lingerie lingering lining linked linking listen
listened listening listens listing lists literal literally literary liters litter lived lively liver
loaded loading loads loans locate located locates locating location locations locked locking locks
logging loneliness lonesome longed longest lookout loops loose loosen lords lordship loser losers
losses lottery loved lovely lover lovers loves loving lowest loyal loyalty lunch luncheon machine
machines macho maids mailbox mailing mainland maintenance majestic majesty maker makers makeup males
manage managed management manages managing mansion march marched marching marine marines marking
markings martin martini massage master mastered mastermind masters material materials maternal
maternity mates mating mattress meals meantime meanwhile measure measured measures measuring meddle
melting memorable memorial memories memorize memorized mercenary messaging messed messenger messes
messing miles mindless minds mineral miners mines minister ministers ministry minute misled moans
moderate modern modest module molested monopoly moses motel mountain mountains movement movements
moves movies multiply mutant mutants muttering mutual myself nailed naked namely native natives
nearby nearer nearest nearing neatly necessarily necessary necessity needle needles needless needy
nerds newer newest nodes noisy nominate nominated nomination nonsense noose noses notch notebook
noted notes noticing notified notify noting notion numerous observation observing obvious occupied
occupy occupying occur occurred occurs offend offended offender offenders offense offensive offering
official officially officials older oldest openly operating operation operational operations
operative operatives operator operators ordeal organ organs origin originated origins outlet
outrageous overboard overheard overload overloaded overlook overlooked overlooking overseas overtime
owned paces packed packs paging pains paint painted painter painting paintings paints palace panel
panels pants parallel paralyses paralysis paralyzed parasite parasites paris parish parks parted
partial partially participate participated participating participation particle particles parties
parting partition partly partner partners party partying passed passenger passengers passes passing
paternity pathetic paths paycheck peace peaceful peach perceive perceived percent perfect perfected
perfection perform performance performances performing perimeter permanent persian persist person
personal persons persuade petition phone phoned phones phoning phrase phrases picked picket picking
pickle pickled pickup piece pierce pierced pills pints pioneer pissed pisses pitch pitched pitcher
pitching placed placement places placing plane planes planet planetary planets plank planks planned
planning plans plant planted planting plants plate plates platinum played player players playing
pleasure pleasures pocket pockets poker poles police policeman policemen policies polish polished
polishing politics pollution pools porter portion positioned positive positively possess possessed
possesses possession possibilities possibility posted posters posting postpone postponed potion
poverty powder powdered practical practically practicing practise practising praying precede
precedent precious precise precision predator predators preferred premature premises preparation
preparations preparing presence present presented presenting presently presents preserve preserved
preserves preserving pressed pressing presumably presume pretentious prick pricks pride priest
priests prime prince princes princess print printed printer printing prints prize prized prizes
probable probation probe procedure procedures proceed proceeded proceeding proceedings proceeds
process processed processes processing procession produce produced producer produces producing
product production productive products profession professors programs project projected projection
projects prominent promised promising promote promoted promoting promotion prompt prone pronounce
propaganda proper properly property prosecute prosecuted prospects prosperity prosperous protect
protected protector protects protein protest protesting protests prove proved proven proverbial
proves provide provided provider provides providing provision provisions provoked proximity pubic
publisher pulling pulls punished pupil purely purest purposely purse quality quantities queen queens
queer quitting quote quoted quotes rabbi rabid raced rachel racist radio radios raging raided
raiding raids rained raining raises rally ranked ransom raped raping rapist rates rating ratings
raving reached react reacted reacting reaction reactions reactor reacts reader readers readings
ready realities reaped reaper reassure recalled receipt receipts received receiver receives
receiving recent recently reception receptionist recess recipient recollection recommend
recommendation recommending recon reconcile reconnect reconsider reconstruct recorder recover
recovered recovering recovery recurring reduce reducing reduction redundant refer referee reference
references referred referring refined reflected reflection reform refrain refresh refreshing refuge
refugee refugees refund refuse refused refuses refusing regain regained regarded regarding register
registered registration registry regrets regular regularly regulation regulations rehearsed reindeer
rejected rejection rejoice rejoined relate related relating relation relations relationship relative
relatives relax relaxed relaxing relay released releasing relentless reliability relics relied
relief relies relieve relieved relish relive relocate reluctant relying remainder remark remarks
remedies remind reminded reminder reminding reminds remorse remote remotely render rendered renounce
rents reorder reordered reordering repaired repairing repay repeated repeatedly repent repetition
replay replayed replica replicas replicate replicated replicating replication reported reporter
reporters reporting reports repressed republic republican republicans requested requesting require
required requirements requiring reschedule rescuing research resemble resembles resent resentment
reservation reserve reserved reserves reset residence resident residential residents resign resigned
resist resisted resisting resource respected respecting respond responded responding responds
responsibility responsible restart restarted restarts rested resting restless restore restored
restoring restrain rests resurrect retail retain retained retains retarded retention rethink retired
retiring retract retreat retried retrieve retrieved revealed revelation reverend reverse reversed
revised revisit revolt revolution revolutionary revolver rewarded rewarding ricky rider riders rides
risen rises risked risking risks rites roads robbing robes roger roles roller rolls rooster rooted
rooting ropes roses roster rosters rotten rotting routine ruining rules sacked sacks safeguard
safest safety sailing sales salesman sally sample samples sands sandwich satisfies savings scale
scaled scales scaling scalp scandal scans scare scared scares scaring scheming score scored scores
scrap scrape scraped scraping scraps scream screamed screaming screams sealed sealing seasons seated
seating secondary sections sector seeds seeking seemingly seized select selected selection selfish
selfless selling senator senators sender sensed senses sensible sensing sensor sensors sensory
sentence sentenced sentences sentiment sentimental separation sequential sequentially sergeant
series serpent servant servants serve served serves services serving settling seven seventh seventy
sever severance severe severed severely sewing shack shade shades shadow shadows shady shaft shake
shaken shakes shaking shallow shalt shame shamed shameful shameless shampoo shaped shapes shaping
shark sharks sharpen sharply shatter shattered shave shaved shaving shell shells shelter sheltered
shifting shillings shipped shipping ships shirt shirts shitload shits shitting shitty shoes shoot
shooter shooters shooting shoots shopping shops shore shores shorter shortest shorts shotgun shots
shout shouted shouting shouts showed shower showers showing shown shows shrapnel shred shredded
shredder shrieking shrine shrink shrinking shuffle shutter shutters shuttle sickness siding sighing
sighs signature signatures silence silly silver simpler simplest simplicity singer singers sinned
sinner sinners sipping sitting situation sizes skate skating skies skiing skill skilled skills skins
skipping slapping slate sleeve sleeves slept slick slide slides slime slipped slipping slips slope
slowed slower slowest slowly slows smack smacked smaller smallest smart smarter smartest smell
smelled smelling smells smelly smooth snack snacks snapping snarling snitch snooping snorting
snowing snuck snuff soaring soccer society solely solemn solemnly solitary solitude sometime sorta
sorted sorting sorts souvenir space spaces spaceship spanish spank spare spared spark sparkle
sparkling sparks sparring specialist specialize specially specialty species specimen specimens
speech speeches spelling spend spending spends spice spied spill spilled spilling spins spite spits
spitting splinter spoke spokesman sponsor sponsored sponsors sporting sports spotlight sprained
spread spreads spree spring springs sprinkle square squared squares squash squashed squat squid
stabbed stabbing stable stack stacked stacks stadium staff staged stages staggering staging stain
stained stains stake staked stakes staking stale stalk stalked stalker stalking stall stalling stamp
stamped stamps stance standing starboard stare stared stares staring stark starling starring stars
startle startled startling startup starved starving stash stashed statement static stating station
stationed stations statistics stats statue statues statute stealing steam steamed steaming steep
stellar stepped stepping steps stereo sterling stick sticker sticking sticks sticky stiff sting
stink stinking stinks stinky stirring stitch stitched stitches stock stocked stocking stockings
stocks stole stolen stomach stomping stone stoned stones stoop storage storm stormed storming storms
stormy stove straight straighten strain strained strand stranded strange strangely stranger
strangers strangest strangle strangled strangling strategic strategies strategy straw strawberries
strawberry stray streak stream streaming streams street streets strength strengthen stress stressed
stressful stretch string strings strip stripes stripped stripper stripping strips strolling strong
stronger strongest strongly struck structural structure structures strung stump stupid style success
successful successfully sucked sucker suckers sucking sucks suffer suffered suffers suffocate
sunglasses superhero superstar supposed supposedly survey suspected suspend suspension swallow
swallowed swallows swapped swarming sweat sweater sweating sweaty sweep sweeping sweeps sweet
sweeter sweetest sweetie sweetness sweets swelling swift swiftly swore synchronous syringe tackle
taken talent talented talents tales talked talking taller tallest tanks taped tapes tapped tasks
taught taxes teaching teachings teams tearing tease teased teasing telescope teller telling
temperature temperatures temporal temporarily tents terminal terribly terrified territorial
territories testament tested testicles testified testify testimony testing texts thanked thankful
thanking theater theories theorists therapist therapy thereby thermal thesis thick thicker thigh
thighs thine thinner thirst thirsty thirteen thirty thorough thoroughly thoughtful thoughts thousand
thread threaded threading threads threaten threatened threatening threatens threats threshold threw
throat throats throne throttle throughout throw throwing throws ticket tickets ticking tickle ticks
tiger tigers tiles timed timeline timeout timer timing tired tires token tolerance tolerant
tolerating tonic torch torched tough tougher toughest touring toxic traced traces tracing tractor
tracy traded tradition tragedy tramp trampled transaction transactions transcript transfer
transferred transferring transfers transform transformed transit transition translation transmit
transmitted transmitter transmitting transparent transplant transport transported transporter
transporting travel traveled traveler travelers traveling travelled travelling travels tread
treatment treatments trees trespass tribes trick tricked tricking tricks tricky tried tries trifle
trigger triggered trimmed tripped trips triumph tropical troubling truck trucks tuned turned turning
twinkle twins tying typed types typical typically unable uncertain uncharted understandable
understanding undress unite united universe university unleash unleashed unseen untie unties
unwilling update updated utility vague vaguely valet valiant valley valuable valve variety viable
vision visions visit visited visiting visitor visitors visits volatile wailing waist waiter waitress
washed washes water watering waters weaker weakest weakness weekend weekends werewolf western whale
whales wheel wheels whenever whereabouts wherever whilst whine white whites whoever wholly whomever
whore whores widely widen widow widows wilderness wiser wishing witch witches withdrew worker
workers workout worldly worlds worldwide wormhole worms worried worries worse worship worst worth
worthy wound wounded wounds wring writings youngest
""".split()
)
