"""Closed classes of languages that no table covers, as data: by them a sentence is told not to be English.

Only words that are frequent and mean nothing by themselves stand here (articles, pronouns, auxiliaries, prepositions,
conjunctions, negations), with those that are English words as well: a word that both have speaks for neither. Sources:
the closed classes of the grammars of each language, and frequency lists. Written with their accents; languages in other
scripts than Latin need no row, since their letters tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.tables import table_of

_ROWS: Final[Mapping[str, str]] = {
    "de": """der die das den dem des ein eine einen einem einer eines und oder aber nicht ich du er sie es wir ihr
        ihnen ihre ihren ihrem ihrer mir mich dir dich uns euch mein meine meinen meiner dein deine ist sind war
        waren bin bist sein hat habe haben hatte wurde wurden werden wird worden kann konnte können soll muss müssen
        möchte für mit von vom zu zum zur auf aus bei nach über unter an am im in um als auch noch schon nur wie
        wenn dass daß weil damit so bitte danke kein keine keinen jetzt hier dann durch ohne bereits alle alles
        leider sowie diese dieser dieses diesem diesen welche doch sehr man will""",
    "fr": """le la les un une des du de d l j qu n c s m t et ou mais ne pas plus je tu il elle on nous vous ils
        elles me te se lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos est sont était étaient
        été être ai as a avons avez ont avait avoir fait faire peut pour par avec sans sur sous dans en au aux chez
        vers que qui quoi dont où si comme très bien aussi déjà encore ce cet cette ces cela ça y merci voici tout
        tous toute toutes entre après avant depuis car donc""",
    "es": """el la los las un una unos unas de del al y e o u pero no ni yo tú él ella nosotros ustedes ellos ellas
        me te se le les lo nos mi mis tu tus su sus nuestro nuestra es son era fue fueron ser sido está están estaba
        estar he has ha hemos han había hay para por con sin sobre en entre desde hasta que qué quien cuando donde
        como cómo más muy ya también si sí este esta estos estas ese esa eso esto gracias aquí todo todos todas toda
        porque puede cada""",
    "it": """il lo la i gli le un uno una l dell all nell dall sull c d di del della dei delle degli da dal dalla
        dalle a al alla ai alle in nel nella nei nelle su sul sulla con per tra fra e ed o ma non né io tu lui lei
        noi voi loro mi ti si ci vi ne li mio mia tuo tua suo sua nostro vostro è sono era erano stato stata stati
        state essere ho hai ha abbiamo avete hanno aveva avere che chi cui come quando dove più molto già anche se
        questo questa questi queste quello grazie ecco tutto tutti tutte""",
    "pt": """o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela para com sem
        sobre entre até e ou mas não nem eu tu ele ela nós vocês eles elas me te se lhe lhes você meu minha seu sua
        seus suas nosso nossa é são era foi foram ser sido está estão estava estar tem têm tinha ter tenho havia há
        que quem quando onde como mais muito já também este esta esse essa isso isto obrigado obrigada aqui todo
        todos todas tudo pode""",
    "nl": """de het een en of maar niet ik jij je u hij zij ze wij we jullie hun hem haar mij me mijn jouw uw ons
        onze is zijn was waren ben bent heb hebt heeft hebben had word wordt worden werd werden kan kunt kunnen zal
        moet voor met van naar op uit bij aan in om over onder tegen door zonder als ook nog al wel geen dat die dit
        deze er hier daar dan toen omdat zodat zoals hoe wat wie waar nu bedankt te tot alle alles""",
    "sv": """en ett den det de och eller men inte jag du han hon vi ni dem dig mig oss er min mitt mina din ditt
        dina sin sitt sina vår ert är var varit vara har hade ha blev blivit bli kan kunde ska skulle för med av
        till från på i om under över efter utan vid hos som att när där hur vad också redan nu här bara inga inget
        ingen tack alla allt så denna detta dessa mycket""",
    "da": """en et den det de og eller men ikke jeg du han hun vi dem dig mig os min mit mine din dit dine sin sit
        sine vores deres er var været være har havde have blev blevet bliver bli kan kunne skal skulle for med af
        til fra på i om under over efter uden ved hos som at når hvor hvordan hva hvad også allerede nå nu her bare
        ingen intet takk tak alle alt så denne dette disse veldig meget dere deg meg oss vår ble blitt av ikkje eg""",
    "fi": """ja tai mutta ei en et emme eivät minä sinä hän me te he se ne tämä nämä tuo olen olet on olemme ovat
        oli olivat ollut olla ole että jos kun koska kuin myös vain jo vielä nyt sitten mukaan kanssa ilman varten
        sekä joka jotka mitä mikä kuka minun sinun hänen meidän teidän heidän sen niiden kiitos kaikki hyvin ettei""",
    "pl": """i oraz lub ale nie tak ja ty on ona ono my wy oni mnie mi cię ci go mu jej ją jego ich im nas nam was
        wam się jest są był była było byli być został została zostało zostały zostanie mam masz ma mają do na w we z
        ze o od po pod nad przed przez za dla przy bez że żeby jak gdy gdzie kto co który która które już też także
        tylko jeszcze teraz to ten ta te tego tej tym dziękuję jako czy pana pani wszystko wszystkie""",
    "cs": """a i nebo ale ne ano já ty on ona my vy oni mě mi tě ti ho mu jej ji jeho jejich nás nám vás vám se si
        je jsou byl byla bylo byli být jsem jsi jsme jste bude budou má mají do na v ve z ze o od po pod nad před
        přes za pro při bez že aby jak když kde kdo co který která které už také jen ještě teď nyní to ten ta tato
        toto této děkuji jako váš vaše vaši všechny všechno som ste sme sú bol bola bolo boli byť nie áno keď aj
        alebo tiež teraz ešte ktorý ktorá ktoré pri pre vaša""",
    "hr": """i ili ali ne da je su sam si smo ste bio bila bilo bili biti sve svi ja ti on ona mi vi oni me mu ga
        joj ih im nas nam vas vam se u na o od do po pod nad pred preko za s sa bez kroz što koji koja koje kako
        kada gdje kao već još samo također sada to taj ta ovaj ova ovo te nije nisu može hvala vaš vaša vaše kojem
        ter pri še že ni ki bil so sem lahko kot pa""",
    "hu": """a az egy és vagy de nem igen én te ő mi ti ők engem téged őt minket nekem neked neki van vannak volt
        voltak lett lesz lenni hogy ha mert mint is már még csak most itt ott ez ezt azt ezek azok ezen meg el ki be
        fel le által szerint után előtt alatt nélkül köszönöm kérem önnek ön minden mely amely amelyik ami aki""",
    "ro": """un o niște și sau dar nu da eu tu el ea noi voi ei ele mă te se îl îi le mi ți ne vă lui lor meu mea
        tău ta său sa nostru este e sunt era au am ai a fost fi să cu de la din în pe pentru prin fără despre între
        după până că care cine ce când unde cum mai foarte deja doar acum acest această aceste aceasta acesta
        mulțumesc toate tot dvs""",
    "tr": """ve veya ama değil ben sen o biz siz onlar bana sana ona bize size onlara beni seni onu bizi sizi benim
        senin onun bizim sizin bir bu şu için ile gibi kadar göre sonra önce daha çok en de da ki mi mı mu var yok
        olan olarak oldu olduğu edildi ettim ise değildir hem ya lütfen teşekkürler tüm her hiç""",
    "id": """dan atau tetapi tidak bukan saya aku anda kamu dia kami kita mereka ini itu yang untuk dengan dari ke
        di pada dalam oleh tanpa sudah telah akan sedang bisa dapat adalah ada jika ketika karena seperti juga hanya
        lagi sangat semua belum terima kasih sebagai nya kepada atas lebih secara ialah boleh tiada dah""",
    "vi": """và hoặc nhưng không tôi bạn anh chị chúng họ nó này đó kia đã đang sẽ được bị là có của cho với từ đến
        trong trên dưới về khi nếu vì như cũng chỉ lại rất tất cả cảm ơn một các những""",
    "ca": """l d s t m n el la els les un una uns unes de del dels al als i o però no ni jo tu ell ella nosaltres
        vostè em et es ens us li hi ho meu meva teu teva seu seva és són era ha han he hem s'ha estat ser està per
        amb sense sobre en entre des fins que qui quan on com més molt ja també si aquest aquesta aquests gràcies
        tot tots""",
    "et": """ja või aga ei ma sa ta me te nad mina sina tema see need on oli olid olnud olla ole et kui sest nagu ka
        ainult juba veel nüüd siis koos ilma jaoks mis kes kus minu sinu meie teie nende seda selle aitäh kõik pole""",
    "lv": """un vai bet ne nav es tu viņš viņa mēs jūs viņi mani tevi man tev mums jums ir bija būt ka ja jo kā arī
        tikai jau vēl tagad ar no uz par pie bez pēc pirms lai kas kur šis šī šo paldies viss visi jūsu""",
    "lt": """ir ar bet ne nėra aš tu jis ji mes jūs jie mane tave man tau mums jums yra buvo būti kad jei nes kaip
        taip pat tik jau dar dabar su iš į už prie be po prieš kuris kas kur šis ši šį ačiū viskas visi jūsų""",
    "sw": """na au lakini si mimi wewe yeye sisi nyinyi wao ni ya wa la za cha vya kwa katika kutoka hadi bila kama
        kwamba ili pia tu bado sasa hii hiyo hizi yako yangu wako wangu asante yote zote""",
    "tl": """ang ng sa mga at o pero hindi ako ikaw siya kami tayo kayo sila ko mo niya namin natin ninyo nila ito
        iyan iyon na ay si ni kay para nang kung dahil din rin lang pa po salamat lahat may wala""",
    "af": """die 'n en of maar nie ek jy u hy sy ons julle hulle hom haar my jou is was het word kan sal moet vir
        met van na op uit by aan in om oor onder deur sonder as ook nog al geen dat wat wie hier daar dan toe nou
        dankie te tot alle hierdie""",
}  # fmt: skip

#: What names of people and places are made with ("Juan de la Cruz", "Ludwig van Beethoven"): between two names they
#: are part of a name.
PARTICLES: Final = frozenset(
    "de la le les van der den von zu el los las di da del della du des dos do y e i al bin ibn ter ten of".split()
)
#: Words with accents that English has taken in.
LOANS: Final = frozenset(
    """café cafés cliché clichés résumé résumés naïve façade façades déjà à entrée entrées fiancé fiancée décor purée
    protégé soufflé sauté sautéed touché jalapeño piñata señor über crème brûlée crêpe crêpes pâté rosé latté matinée
    mêlée voilà première né née exposé communiqué émigré éclair doppelgänger coöperate reëlect""".split()
)


def _index() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for code, words in _ROWS.items():
        for word in dict.fromkeys(words.split()):
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


#: Word in lower case to the codes of the languages whose closed classes it is in.
FOREIGN: Final = table_of(_index)
