"""Names of people and places by which a claim's name is known to be of one kind with the call's: data alone.

Given names by which one person goes stand together, the further ones one by one; cities with their other spellings and
with the codes of their airports. From general knowledge and IATA's codes; a name that is missing is never accused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.tables import table_of

#: Given names and their short forms; names between bars are of one person.
_FORMS: Final = """
abigail abby gail | abraham abe | albert al bert | alexander alex sasha sandro alec xander | alexandra alex sasha
sandra alexa | alfred fred alfie | alice ali | alison ali | amanda mandy | andrew andy drew | angela angie | anita ana
| ann anne anna ana annie nancy anya hanna hannah | anthony tony antonio anton | arthur art artie | barbara barb babs
| benjamin ben benny | bernard bernie | catherine katherine kathryn cathy kathy kate katie kat cat kit karen katarina
ekaterina katya | charles charlie chuck carl carlos karl | charlotte lottie charlie | christine christina chris tina
kristina kirsten | christopher chris kit topher | cynthia cindy | daniel dan danny | danielle dani | david dave davey
| deborah deb debbie | dennis denny | dmitri dmitry dima | donald don donnie | dorothy dot dottie dolly | douglas doug
| edward ed eddie ted ned eduardo | eleanor ellie nell nora ella elena helen helena | elizabeth liz lizzie beth betty
eliza elisabeth elspeth bess elise lisa ella | emily em emmy | emma em | emmanuel manny manuel | eugene gene | evelyn
eve evie | frances fran francesca franny | francis frank fran francisco francesco franz | frederick fred freddie rick
| gabriel gabe | gabriella gabriela gabby ella | george georgie jorge georg jurgen | gerald gerry jerry | gregory greg
grigori | gwendolyn gwen | harold harry hal | henry harry hank henrik enrique heinrich | isabella isabel bella izzy |
ivan vanya ioan | jacob jake jacques | jacqueline jackie | james jim jimmy jamie | jane janie jan joan jean | janet
jan | jason jay | jeffrey geoffrey jeff geoff | jennifer jen jenny | jeremy jerry jem | jessica jess jessie | john
jack johnny jon ian sean juan johan johannes hans jan giovanni | jonathan jon jonny | joseph joe joey jose josef
giuseppe | joshua josh | judith judy | julia julie jules | kenneth ken kenny | kimberly kim | lawrence larry laurie
lars | leonard leo len lenny | louis lou luis lewis | louise lou luisa | lucia lucy lucie luz | madeleine maddy
madeline | margaret maggie meg peggy greta rita margarita | maria mary marie mia molly polly miriam marija | mark marc
marcus marco marek | martha marta | martin marty | matthew matt matteo matthias | maximilian max | megan meg | melissa
mel | michael mike mick mikey mikhail miguel misha mikael | michelle shelly | mohammed muhammad mohamed mo | nathan
nathaniel nate nat | natalia natalie natasha nat talia | nicholas nick nicky nico nikolai klaus | nicole nicky nikki |
oliver ollie | olivia liv livvy | pamela pam | patricia pat trish patty tricia | patrick pat paddy | paul pablo paolo
pavel | paula | peter pete piotr pedro pierre | philip phil felipe | rachel rae raquel | raymond ray | rebecca becky
bec becca | richard rick dick rich ricky ricardo | robert rob bob bobby bert robbie roberto | roger rodge | ronald ron
| rosemary rose rosie | samantha sam sammy | samuel sam sammy | sarah sara sally sadie | simon si simeon | sophia
sophie sofia sofie zofia | stephanie steph stefanie | stephen steven steve stefan stephan esteban | susan sue suzie
susanna suzanne zuzana | teresa theresa terry tess | thaddeus tad | theodore ted theo teddy | thomas tom tommy tomas
tomasz | timothy tim | valerie val | vanessa ness | victor vic viktor | victoria vicky tori | vincent vince vinny
vincenzo | vladimir vlad volodymyr | walter walt | william will bill billy liam guillermo wilhelm willem | yusuf
yousef joseph | zachary zach zak
"""
#: Further given names.
_OTHERS: Final = """
aaron adam ade adrian aisha agnes ahmed aino ajay akira alan alba aldo alejandro ali amal amara amelia amina amir amit
amy anders anil anika anouk ansel anton arjun arne arturo asha astrid audrey august aya ayse beatrice beatriz bella
bianca bjorn boris brenda brian bruno bruna camille carla carmen carol cecilia cem chen chiara chloe clara claire
claudia colin connor craig dana dara darius dean delia denise derek diana diane diego dieter dina dominik dorota ece
edith elif elias elsa emre enzo eric erik erin esra esther eva fatima fatou felix femi fernando fiona florian freya
gareth gemma giulia gita grace graham guido hamza hana harriet hasan hassan heidi hiroshi hugo ibrahim igor ike imani
imke ines ingrid irene iris irina isaac ivy jana jared jasmine jasper javier jia jill joanna joao jonah jonas jordan
joyce juliette jun kai kamal karim karin karolina kasper kaveh keiko keith kenji kevin khalid kiran klara kofi kwame
lara laila lars laura lea leila lena leon leona li lila lina linda ling lise lorenzo luca lucas ludmila lukas lydia
magda magnus mai malik mara marcel mariam marina mario marlene marta mateo maya mehmet mei mette mina milan milo min
miro mona monica morgan nadia naomi neha neil nia nikita nina nisha noah noor nuno ola olga olu omar oscar otto owen
padma pascal pia petra priya rafael raj ralph ramon rana rania rashid ravi renata rene rhea rhys rohan roland romy
rosa ruben rufus russell ruth ryan sabine said salma salman samir sandeep sanjay santiago saskia selin selma serge
seth sergio sergei shirin shreya silvia sina sofiane sonia soren stella sunil sunita svetlana sven tamara tanya tara
tariq tatiana tessa thandi theresia thea tiago tobias tova tracy trevor uma umar ursula usha valentina vera veronica
vikram vivian wanda wangari wei wendy xavier yara yasmin yoko yolanda youssef yuki yulia yvonne zahra zainab zara
zeynep zoe
"""
#: Cities: spellings between bars are of one; codes of airports and short forms are marked `=`.
_CITIES: Final = """
amsterdam =ams | ankara | antwerp antwerpen anvers | athens athina =ath | atlanta =atl | auckland =akl | austin =aus |
baltimore | bangkok =bkk | barcelona =bcn | basel basle | beijing peking =pek | beirut | belfast | belgrade beograd |
bergen =bgo | berlin =ber | bern berne | bilbao =bio | birmingham =bhx | bogota =bog | bologna =blq | bordeaux =bod |
boston =bos | bratislava | bremen | brighton | brisbane | bristol =brs | brussels bruxelles brussel =bru | bucharest
bucuresti =otp | budapest =bud | cairo =cai | calgary | cardiff | casablanca | chicago =ord | cologne koln köln =cgn |
copenhagen kobenhavn københavn =cph | cork | dallas =dfw | delhi =del | denver =den | detroit | dortmund | dresden |
dubai =dxb | dublin =dub | dusseldorf düsseldorf =dus | edinburgh =edi | eindhoven | essen | florence firenze =flr |
frankfurt =fra | gdansk | geneva geneve genève genf =gva | genoa genova | ghent gent gand | glasgow =gla | gothenburg
göteborg goteborg =got | granada | graz | hamburg =ham | hanoi | hanover hannover | helsinki =hel | houston | istanbul
=ist | jakarta | jerusalem | johannesburg | kiev kyiv =kbp | krakow cracow kraków =krk | kyoto | lagos | lausanne |
leeds =lba | leicester | leipzig | lille | lima =lim | lisbon lisboa =lis | liverpool =lpl | ljubljana | london =lhr
=lgw =lon =stn =ltn | luxembourg | lyon lyons =lys | madrid =mad | malaga málaga =agp | malmo malmö | manchester =man
| marseille marseilles =mrs | melbourne =mel | miami =mia | milan milano =mxp =lin | minneapolis | montreal montréal
=yul | moscow moskva | mumbai bombay =bom | munich munchen münchen =muc | nairobi =nbo | nantes | naples napoli =nap |
newcastle | nice =nce | norwich | nottingham | nuremberg nurnberg nürnberg | odense | oporto porto =opo | osaka | oslo
=osl | ottawa | oxford | palermo | palma =pmi | paris =cdg =ory | perth | philadelphia =phl | pisa | plymouth |
portland =pdx | poznan | prague praha =prg | reykjavik =kef | riga =rix | rome roma =fco | rotterdam | salzburg =szg |
santiago | seattle =sea | seoul =icn | seville sevilla =svq | shanghai | sheffield | singapore | sofia | southampton |
stavanger | stockholm =arn | strasbourg | stuttgart =str | sydney =syd | tallinn =tll | tampere | tokyo =nrt =hnd |
toronto =yyz | toulouse =tls | trieste | trondheim | turin torino =trn | turku | uppsala | utrecht | valencia =vlc |
vancouver =yvr | venice venezia =vce | verona | vienna wien =vie | vilnius =vno | warsaw warszawa =waw | wroclaw
wrocław | york | zagreb =zag | zaragoza | zurich zürich =zrh | gatwick =lgw | heathrow =lhr | stansted =stn | luton
=ltn | orly =ory | malpensa =mxp | linate =lin | schiphol =ams | arlanda =arn | gardermoen =osl | kastrup =cph |
fiumicino =fco | ciampino | barajas =mad | newark =ewr | laguardia =lga
"""
#: Airports and the city that each is of, so that naming either is no contradiction.
AIRPORTS: Final = {
    "gatwick": "london", "heathrow": "london", "stansted": "london", "luton": "london", "orly": "paris",
    "malpensa": "milan", "linate": "milan", "schiphol": "amsterdam", "arlanda": "stockholm", "gardermoen": "oslo",
    "kastrup": "copenhagen", "fiumicino": "rome", "ciampino": "rome", "barajas": "madrid",
}  # fmt: skip


def _groups(text: str) -> list[list[str]]:
    return [group.split() for group in text.split("|") if group.split()]


def _given() -> Mapping[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for number, group in enumerate([*_groups(_FORMS), *([name] for name in _OTHERS.split())]):
        for name in group:
            found[name] = found.get(name, frozenset()) | {number}
    return found


def _cities() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in _groups(_CITIES):
        for name in group:
            bare = name.removeprefix("=")
            found[bare] = found.get(bare, frozenset()) | {group[0]}
    return found


#: A given name and the groups of forms that it belongs to.
GIVEN: Final = table_of(_given)
#: A way to write a city, without the mark of a code, and the cities that it may be.
CITIES: Final = table_of(_cities)
