/** The languages that words decide about. */
export const wordLanguages = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'nl',
  'pt',
  'pl',
  'sv',
  'da',
  'no',
  'fi',
  'tr',
  'cs',
  'ro',
  'hu',
] as const;

/** One of {@link wordLanguages}. */
export type WordLanguage = (typeof wordLanguages)[number];

/** Those of them in which replies are built in. */
export const shippedLanguages = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'nl',
  'pt',
  'pl',
] as const satisfies readonly WordLanguage[];

/** One of {@link shippedLanguages}. */
export type ShippedLanguage = (typeof shippedLanguages)[number];

/** The frequent words of each language. */
export const functionWords: Readonly<Record<WordLanguage, string>> = {
  en: "the a an of to in on at for from with by and or but if so as is are was were be been being am it its it's this that these those i i'm i've i'd i'll im ive me my mine we us our you your yours u ur he she him his her they them their there here who what when where which why how not no don't dont doesn't didn't can can't cant cannot could would should will won't wont do does did done has have had having get got getting go going gone just only also too very still again after before since until about over out up down off into than then now please pls plz thanks thank thx ok okay hi hello hey yes yeah yep nope sure want need like any some all more most much many one two three first last next new old same other another every each because while though through without within between during under back way time day days week weeks month today tomorrow yesterday order orders ordered item items refund money pay paid card account password login email mail app phone number delivery deliver delivered shipping ship shipped parcel package box return returned cancel change help support service customer agent person human speak talk call price cost cheap free size colour color work works working broken wrong missing late never always ever really good great bad nice best better worst love happy sorry issue problem error question answer know tell told say says said see look find found make made take took give gave put send sent use used try tried keep let come came arrive arrived buy bought sell open close closed start stop wait waiting left right long short big small lot bit still yet already someone something anything nothing everything everyone nobody people guys mate status update tracking invoice subscription plan membership booking ticket store shop website site page link code gift voucher discount sale stock address name date form team dear regards cheers kind yo pm without head table fake",
  de: 'der die das den dem des ein eine einen einem einer eines kein keine keinen ich du er sie es wir ihr mich mir dich dir ihn ihm ihnen uns euch mein meine meinen meiner meinem dein deine sein seine ihre ihren ihrem ihrer ihres unser unsere und oder aber wenn weil dass daß ob als wie was wer wo wann warum welche welcher welches ist sind war waren bin bist seid sein hat habe haben hatte hatten wird werden wurde wurden kann können könnte könnten muss müssen soll sollte will wollen möchte möchten darf dürfen nicht noch nur auch schon sehr mehr immer wieder jetzt hier dort da so zu zum zur von vom mit bei beim nach aus auf an am im in für über unter vor seit bis durch gegen ohne um ab doch mal denn dann bitte danke vielen dank hallo guten tag herr frau heute gestern morgen gibt geht kommt meine bestellung paket rechnung lieferung konto geld zurück alles nichts etwas man diese dieser dieses diesen jeder alle wegen sondern trotzdem leider gerne freundlichen grüßen merci ciao ja nie na nee nö hab hast nix gibts gehts',
  fr: "le la les l' un une des du de d' et ou mais si que qu' qui quoi dont où ce cet cette ces c' ça je j' tu il elle on nous vous ils elles me m' te se s' lui leur y en mon ma mes ton ta tes son sa ses notre nos votre vos leurs est sont suis es sommes êtes était étaient être ai as a avons avez ont avait avoir eu été fait faire peut peux pouvez pouvoir veux voudrais voulez dois doit faut va vais n' ne pas plus jamais rien très trop aussi encore déjà toujours bien mal avec sans pour par sur sous dans chez vers depuis pendant avant après entre comme comment pourquoi quand combien quel quelle quels quelles aux au bonjour merci svp plaît commande colis facture compte remboursement livraison tout tous toute toutes même autre donc car alors ici là aujourd'hui hier demain",
  es: 'el la los las un una unos unas de del al y e o u pero si que qué quien quién cuál como cómo cuando cuándo donde dónde porque por para con sin sobre en entre hasta desde hacia yo tú él ella usted ustedes nosotros vosotros ellos ellas me te se le les nos os lo mi mis tu tus su sus nuestro nuestra vuestro vuestra es son soy eres somos era eran fue ser está están estoy estaba estamos estar he has ha hemos han había haber hay tengo tiene tienen tenéis tener quiero quiere quisiera puedo puede pueden podéis poder hace hacer no ni ya muy más menos también tampoco siempre nunca nada algo todo todos toda esto esta este estos estas eso esa ese aquí ahora hoy ayer mañana hola gracias buenos buenas días pedido paquete factura cuenta dinero envío favor',
  it: "il lo la i gli le l' un uno una un' di del dello della dei degli delle d' dell' a al allo alla ai agli alle all' da dal dalla dai dalle dall' in nel nella nei nelle nell' su sul sulla con per tra fra e ed o ma se che chi cosa cos' quale quali come quando dove dov' perché io tu lui lei noi voi loro mi ti si ci vi ne mio mia miei mie tuo tua suo sua nostro nostra vostro vostra vostri è sono sei siamo siete era erano essere ho hai ha abbiamo avete hanno aveva avere non più anche ancora già sempre mai niente nulla molto troppo poco tutto tutti questo questa questi queste quello quella qui ora adesso oggi ieri domani posso può potete vorrei voglio vuole devo deve fare fatto ciao buongiorno grazie ordine pacco fattura rimborso spedizione",
  nl: 'de het een en of maar als dat die dit deze er hier daar waar wie wat wanneer waarom hoe welke ik jij je u hij zij ze wij we jullie mij me mijn jou jouw uw hem haar hun ons onze is zijn ben bent was waren wordt worden werd heb hebt heeft hebben had hadden kan kunt kunnen kon zou zouden moet moeten wil willen mag mogen zal gaat ga niet geen nog al ook wel maar alleen heel zeer meer altijd nooit weer nu dan toch te ten ter van voor met bij naar uit op aan in over onder door tot sinds na om zonder tegen tussen want omdat dus graag bedankt dank hallo goedemorgen goedendag bestelling pakket rekening geld terug alles niets iets vandaag gisteren morgen mee alsjeblieft',
  pt: 'o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela pelos para pra com sem sobre entre até desde e ou mas se que quem qual quais como quando onde porque porquê eu tu ele ela você vocês nós eles elas me te se lhe lhes meu minha meus minhas seu sua seus suas nosso nossa vosso vossa é são sou somos era foi foram ser está estão estou estava estar tenho tem têm temos tinha ter há havia quero queria gostaria posso pode podem faz fazer não nem já ainda muito mais menos também sempre nunca nada algo tudo todos isto isso este esta esse essa aqui agora hoje ontem amanhã olá obrigado obrigada bom boa dia encomenda pedido fatura conta dinheiro mim dele dela num numa vou fica',
  pl: 'i w we z ze na do od po za o u przy przez dla bez pod nad przed między to ten ta te tego tej tym tych ja ty on ona my wy oni mnie mi mój moja moje mojego mojej moim ciebie ci twój jego jej nas nam was wam ich im się sobie jest są był była było być byłem będzie mam masz ma mamy mają miał mogę może można chcę chciałbym chciałabym proszę czy nie tak już jeszcze tylko też także bardzo więcej zawsze nigdy nic coś wszystko kto co gdzie kiedy dlaczego jak jaki jaka jakie który która które ile że żeby aby bo ale lub albo oraz więc a dziś wczoraj jutro dzień dobry dziękuję pozdrawiam zamówienie zamówienia paczka paczki przesyłka zwrot pieniądze konto państwa pan pani',
  sv: 'och att det som en ett den de av på är för med till inte om han hon vi ni jag mig min mitt mina du dig din ditt sig sin sitt var vad vem när hur varför vilken vilket har hade ha kan kunde ska skulle vill måste får fick blir blev bli men eller så då nu här där från efter före under över utan mellan hos vid ut upp ner in också bara mycket mer alltid aldrig redan igen något någon inget ingen alla allt hej tack snälla beställning order paket faktura pengar tillbaka idag igår imorgon er ert era oss vår',
  da: 'og at det som en et den de af på er for med til ikke om han hun vi i jeg mig min mit mine du dig din dit sig sin var hvad hvem hvor hvornår hvordan hvorfor hvilken har havde have kan kunne skal skulle vil ville må får fik fået bliver blev være været men eller så da nu her der fra efter før under over uden mellem hos ved ud op ned ind også kun meget mere altid aldrig allerede igen noget nogen intet ingen alle alt hej tak venligst bestilling ordre pakke faktura penge tilbage idag jer jeres os vores ønsker',
  no: 'og at det som en et ei den de av på er for med til ikke om han hun vi jeg meg min mitt mine du deg din ditt seg sin var hva hvem hvor når hvordan hvorfor hvilken har hadde ha kan kunne skal skulle vil ville må får fikk fått blir ble være vært men eller så da nå her der fra etter før under over uten mellom hos ved ut opp ned inn også bare mye mer alltid aldri allerede igjen noe noen ingenting ingen alle alt hei takk vennligst bestilling ordre pakke faktura penger tilbake dag dere deres oss vår ønsker',
  fi: 'ja tai mutta jos että kun kuin niin ei en et emme ette eivät ole olen on ovat oli olisi olla minä sinä hän me te he minun sinun hänen meidän teidän heidän minulle minulla teille se tämä tuo ne nämä sen tämän siitä tästä mikä mitä kuka missä mistä milloin miksi miten kuinka voi voin voitte voisi haluan haluaisin pitää saa saan myös vain vielä jo nyt sitten aina koskaan hyvin paljon enemmän kaikki mitään jotain kiitos hei moi terve tilaus tilauksen tilaukseni paketti lasku rahat takaisin tänään eilen huomenna kanssa ilman ennen jälkeen asti',
  tr: 'bir ve ile bu şu o ben sen biz siz onlar benim senin bizim sizin bana sana bize size beni seni bizi sizi için ama veya ya da de ki mi mı mu mü ne nasıl neden niçin nerede nereye kim hangi kaç zaman var yok değil çok daha en az gibi kadar sonra önce her hiç şey her şey sadece hala henüz şimdi bugün dün yarın lütfen merhaba selam teşekkürler teşekkür ederim iyi günler olarak olan oldu olur etmek istiyorum siparişim sipariş kargo para iade hesabım hesabımı kartım kartımdan fatura geldi gelmedi edin eder',
  cs: 'a i v ve s se z ze na do od po za o u při pro bez pod nad před to ten ta te toho té tom já ty on ona my vy oni mě mi můj moje mého vám vás nás nám jeho její si je jsou byl byla bylo být jsem jste jsme bude mám má máte můžu mohu může můžete chci chtěl prosím zda ne ano už ještě jen také velmi více vždy nikdy nic něco vše kdo co kde kdy proč jak jaký který která které kolik že aby protože ale nebo dnes včera zítra dobrý den děkuji objednávka objednávku balík peníze účet',
  ro: 'și si sau dar dacă că ca ce cine unde când cum cât de la în din pe cu fără pentru prin spre până un o unei unui al ai ale eu tu el ea noi voi ei ele mă mi te îmi îți vă ne le lui meu mea mei mele este e sunt suntem sunteți era fost fi am are avem aveți au aș vreau doresc pot poate puteți nu mai foarte prea deja încă tot toate acest această aici acum azi ieri mâine bună ziua salut mulțumesc comanda coletul factura banii cont vă rog',
  hu: 'a az és vagy de ha hogy mert mint is nem igen csak már még nagyon több mindig soha semmi valami minden ki mi hol mikor miért hogyan milyen melyik mennyi én te ő mi ti ők nekem neked neki engem van vannak volt voltak lesz lenni vagyok kell lehet szeretnék szeretném kérem kérnék tudom tudok ez ezt azt egy itt ott most ma tegnap holnap jó napot köszönöm üdvözlettel rendelés rendelésem csomag számla pénz vissza fel meg el',
};

/** Words that tell the language of a text of few words. */
export const greetings: Readonly<Partial<Record<WordLanguage, string>>> = {
  de: 'danke dankeschön vielen hallo guten moin servus tschüss bitte entschuldigung nein bestellung rechnung rückerstattung lieferung kündigung kündigen stornieren paket hilfe wann warum nicht ich meine mein grüße erstattung',
  fr: "bonjour bonsoir merci salut svp oui non commande remboursement remboursez livraison facture colis beaucoup pourquoi où j'ai c'est quand annuler parfait aide",
  es: 'hola gracias buenas buenos días tardes adiós pedido reembolso envío factura cuándo dónde ayuda muchas cancelar quiero vale perfecto saludos ningún',
  it: 'ciao grazie buongiorno buonasera salve prego rimborso fattura spedizione ordine quando dove aiuto mille arrivederci perché',
  nl: 'bedankt hoi goedemorgen goedemiddag goedendag dankjewel dankuwel alvast bestelling terugbetaling pakket wanneer waar graag ik mijn annuleren hartelijk',
  pt: 'olá obrigado obrigada bom boa dia tarde encomenda reembolso fatura quando onde ajuda cancelar não oi tchau muito',
  pl: 'dziękuję dzięki dzień dobry cześć witam proszę zamówienie zwrot faktura paczka gdzie kiedy pozdrawiam pomocy nie',
  sv: 'tack hej hejsan beställning återbetalning faktura paketet när hjälp snälla jag tackar mycket',
  da: 'tak hej goddag mange ordre faktura hvornår hvor hjælp jeg venligst',
  no: 'takk hei tusen bestilling faktura når hvor hjelp jeg vennligst',
  fi: 'kiitos kiitti moi hei terve tilaus tilaukseni hyvitys lasku milloin missä apua paljon',
  tr: 'merhaba selam teşekkürler teşekkür ederim kolay gelsin günler sipariş siparişim iade kargo nerede lütfen sağolun tamam iyi günaydın yardım',
  cs: 'děkuji děkuju ahoj prosím dobrý den objednávka kdy kde díky',
  ro: 'mulțumesc mersi salut bună ziua comanda unde când rog',
  hu: 'köszönöm köszi szia üdvözlöm rendelés mikor hol kérem',
};
