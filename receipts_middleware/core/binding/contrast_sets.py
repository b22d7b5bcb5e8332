"""Words of one dimension that exclude one another: colours, weekdays, cabins, currencies; data alone.

A row is a set: its name, the words of keys under which an argument holds one of it, the nouns behind which a word of
many meanings is one of it, and its members. Members stand between bars; the words of one member mean the same, blanks
inside a word are written `_`. A word that belongs to two members (`teal`) excludes neither. `~` marks a word of many
meanings, which counts only beside a key or a noun of its set; `=` a code that stands in arguments under such a key
alone. Plurals with `s` need no entry. English; from general knowledge, ISO 639, ISO 3166 and ISO 4217.
"""

from __future__ import annotations

from typing import Final

SETS: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("colour", "colour color shade tint hue paint", "ribbon jacket wire lamp light wall",
     "red crimson scarlet burgundy maroon | blue navy navy_blue dark_blue light_blue azure turquoise teal cyan indigo"
     "| green teal turquoise olive mint lime | yellow golden gold amber mustard | orange amber | purple violet lilac"
     " lavender mauve indigo | pink magenta fuchsia | brown tan beige chocolate walnut bronze | black ebony"
     "| white ivory cream off_white | grey gray silver charcoal anthracite | beige cream ivory sand"),
    ("weekday", "day weekday days weekdays byday slot when date recurrence", "",
     "monday mon =mo | tuesday tue tues =tu | wednesday =wed =we | thursday thu thur thurs =th | friday fri =fr"
     "| saturday =sat =sa | sunday =sun =su"),
    ("month", "month months period", "report statement payslip invoice rent payroll bill numbers figures newsletter",
     "january =jan =1 =01 | february =feb =2 =02 | ~march =mar =3 =03 | april =apr =4 =04 | ~may =5 =05"
     "| june =jun =6 =06 | july =jul =7 =07 | ~august =aug =8 =08 | september =sep =sept =9 =09 | october =oct =10"
     "| november =nov =11 | december =dec =12"),
    ("quarter", "quarter period term", "",
     "q1 first_quarter | q2 second_quarter | q3 third_quarter | q4 fourth_quarter"),
    ("half year", "half period", "", "h1 first_half | h2 second_half"),
    ("season", "season term semester", "term season semester planting collection menu",
     "spring springtime | summer summertime | autumn ~fall | winter wintertime"),
    ("size", "size garment_size sizing", "size",
     "=xs extra_small | ~small =s | ~medium =m | ~large =l | =xl extra_large ~x_large | =xxl =2xl"),
    ("compass", "direction side quay wing entrance gate bank facade orientation region zone",
     "side wing quay entrance gate bank pier dock stand platform tower terminal field slope facade facing stairs",
     "~north northern northbound northwards =n | ~south southern southbound southwards =s"
     "| ~east eastern eastbound eastwards =e | ~west western westbound westwards =w"),
    ("side", "side eye ear hand knee arm leg foot laterality limb",
     "side eye ear knee arm leg foot hand shoulder hip ankle wrist elbow lung breast kidney lane wing tooth lens hoof"
     " forelimb paw channel margin column",
     "~left lefthand left_hand =l =os | ~right righthand right_hand =r =od | both bilateral =bilat =ou"),
    ("vertical", "position level shelf berth bunk rack deck", "berth bunk shelf deck rack drawer floor jaw level",
     "~top upper =u uppermost | ~bottom lower =l lowest | ~middle centre center"),
    ("front and back", "position facing side row", "row door seat garden desk yard wheel light axle",
     "~front anterior | ~back rear posterior"),
    ("priority", "priority severity urgency importance",
     "priority severity urgency importance",
     "critical highest =p1 =sev1 urgent emergency blocker | ~high urgent =p2 =sev2 =p1 | ~medium moderate ~normal =p3"
     " standard =sev3 | ~low lowest minor trivial =p4 =sev4 =p5"),
    ("cabin", "cabin cabin_class class travel_class fare_class service_class seat_class fare",
     "class cabin seat fare ticket",
     "economy coach =y standard_class | premium_economy =w | ~business =c =j | ~first =f first_class"),
    ("rail class", "class travel_class coach comfort", "class coach carriage",
     "~first =1 =1st first_class 1st_class | ~second =2 =2nd second_class 2nd_class standard_class"),
    ("postage", "class service postage mail_class delivery shipping speed method",
     "post postage mail delivery shipping service",
     "express next_day overnight ~priority expedited | standard ~regular ~normal economy second_class ground"
     "| same_day"),
    ("theatre area", "area section zone block tier seating category", "",
     "stalls orchestra | balcony ~gallery | ~circle dress_circle | ~box boxes | standing"),
    ("room", "room room_type type category accommodation bed_type", "room bedroom cabin",
     "~single =sgl | ~double =dbl queen king | twin =twn | ~triple =tpl | ~family_room | ~suite | dormitory dorm"),
    ("fare flexibility", "fare fare_type type ticket", "fare ticket rate",
     "flexible =flex refundable fully_flexible | ~saver non_refundable nonrefundable | ~advance | off_peak | anytime"),
    ("trip", "trip trip_type type journey ticket ticket_type direction fare",
     "ticket trip flight journey fare crossing transfer",
     "one_way oneway ~single =ow =one_way | ~return round_trip roundtrip =rt there_and_back"),
    ("leg", "leg direction journey", "flight leg journey trip train crossing",
     "outbound outward departing | inbound homeward ~return homebound"),
    ("age group", "category type age_group passenger ticket audience price_group fare",
     "ticket fare rate price admission place pass passenger dose",
     "adult =adt | child children kid =chd junior | infant baby =inf | ~senior pensioner concession | ~student"
     "| ~family"),
    ("frequency", "frequency cycle interval schedule period cadence recurrence billing term repeat every plan",
     "",
     "hourly every_hour | daily every_day each_day =day nightly | weekly every_week each_week =week"
     "| fortnightly biweekly bi_weekly every_two_weeks every_other_week"
     "| monthly every_month each_month =month | quarterly every_quarter =quarter every_three_months"
     "| half_yearly biannual semi_annual twice_a_year | annual annually yearly every_year once_a_year =year"
     "| weekdays every_weekday | one_off one_time onetime"),
    ("payment", "method payment payment_method instrument pay_by tender mode means",
     "payment",
     "credit_card =card =cc | debit_card =card | ~cash | cheque ~check =chk | bank_transfer wire wire_transfer =ach"
     " =bacs =sepa =transfer | paypal | direct_debit =dd | gift_card voucher | apple_pay | google_pay | ~invoice"
     "| store_credit =credit"),
    ("card brand", "card brand scheme network", "", "visa | mastercard master_card =mc | amex american_express"),
    ("account", "account source from account_type fund to destination",
     "account accounts",
     "savings ~saver | ~current checking chequing ~business | ~joint | ~loan | escrow"),
    ("environment", "environment env stage target cluster namespace",
     "environment cluster server",
     "production =prod ~live =prd | staging =stage =stg preprod pre_production | =dev ~development =develop"
     "| ~test =testing ~qa | ~test =testing ~uat acceptance | sandbox"),
    ("visibility", "visibility access privacy audience scope sharing acl",
     "repository repo channel page link event folder board playlist profile calendar album visible dataset",
     "~public | ~private | ~internal | unlisted"),
    ("role", "role permission access access_level level rights permissions privilege",
     "access role rights permission permissions",
     "viewer ~view read_only ~read reader view_only =ro | commenter ~comment | editor ~edit ~write writer =rw"
     " edit_access write_access | ~admin ~administrator | ~owner ownership | ~guest | moderator"),
    ("language", "lang language locale target_lang target translation idiom spoken",
     "version translation edition subtitles copy",
     "english =en =eng =en_gb =en_us | german =de =deu =ger =de_de | dutch flemish =nl =nld | french =fr =fra =fr_fr"
     "| spanish castilian =es =spa =es_es | italian =it =ita | portuguese =pt =por =pt_br | danish =da =dan"
     "| swedish =sv =swe | norwegian =no =nb =nor | finnish =fi | polish =pl =pol | czech =cs | slovak =sk"
     "| hungarian =hu | romanian =ro | bulgarian =bg | greek =el | turkish =tr | russian =ru | ukrainian =uk"
     "| arabic =ar | hebrew =he | persian farsi =fa | hindi =hi | urdu =ur | bengali =bn | chinese mandarin =zh"
     " cantonese | japanese =ja | korean =ko | vietnamese =vi | thai =th | indonesian =id | malay =ms | swahili =sw"
     "| welsh =cy | irish gaelic =ga | catalan =ca | basque =eu | croatian =hr | serbian =sr | slovenian =sl"
     "| estonian =et | latvian =lv | lithuanian =lt | icelandic =is"),
    ("country", "country nation country_code market",
     "",
     "germany =de | france =fr | spain =es | italy =it | portugal =pt | netherlands holland =nl | belgium =be"
     "| austria =at | switzerland =ch | denmark =dk | sweden =se | norway =no | finland =fi | poland =pl | czechia"
     " czech_republic =cz | hungary =hu | greece =gr | ~turkey türkiye =tr | ireland =ie | united_kingdom britain =uk"
     " =gb =great_britain england scotland wales | united_states america =us =usa | canada =ca | mexico =mx | brazil"
     " =br | argentina =ar | chile =cl | japan =jp | ~china =cn | india =in | australia =au | new_zealand =nz"
     "| south_africa =za | kenya =ke | nigeria =ng | egypt =eg | israel =il"),
    ("currency", "currency ccy currency_code denomination cur",
     "",
     "euro eur =€ | dollar usd us_dollar =$ cad aud nzd sgd | sterling gbp pounds_sterling british_pound ~pound =£"
     "| chf swiss_franc ~franc | jpy yen =¥ | sek swedish_krona ~krona | nok norwegian_krone ~krone | dkk danish_krone"
     " ~krone | pln zloty | czk koruna | huf forint | inr rupee | cny renminbi yuan | brl | zar ~rand | try lira"),
    ("meal", "meal sitting service", "",
     "breakfast | brunch | lunch luncheon | dinner supper | afternoon_tea"),
    ("board", "board board_type meal_plan basis", "board",
     "half_board =hb | full_board =fb | bed_and_breakfast =bb | all_inclusive =ai | room_only self_catering =ro"),
    ("diet", "diet menu meal dietary diet_type preference option", "menu meal option dish",
     "vegan plant_based plantbased =vgml | vegetarian veggie =vlml | halal =moml | kosher =ksml | pescatarian"
     "| gluten_free =gfml | omnivore ~standard meat"),
    ("dish", "dish main course option meal protein", "", "chicken | beef | pork | lamb | fish salmon cod | tofu"),
    ("drink", "drink beverage", "",
     "coffee espresso cappuccino latte | ~tea | juice orange_juice | beer lager | red_wine | white_wine | still_water"
     "| sparkling_water"),
    ("milk", "milk", "milk", "oat | soy soya | almond | whole | skimmed skim"),
    ("wine", "wine", "wine", "~red | ~white | rosé"),
    ("part of the day", "part time_of_day session slot period daypart shift window",
     "slot session shift appointment window",
     "morning =am before_noon forenoon | afternoon =pm | evening =pm | night overnight nighttime =pm =am"),
    ("shift", "shift roster", "shift", "~early | ~late | ~night nights | ~day days"),
    ("document state", "state status version stage document_status kind", "version copy",
     "~draft | ~final finalised finalized | published"),
    ("open or closed", "state position status mode",
     "valve gate door window vent damper blind curtain shutter hatch position",
     "~open opened | ~closed ~shut"),
    ("on or off", "state power status switch enabled", "",
     "~on switched_on turned_on =true | ~off switched_off turned_off =false"),
    ("heating or cooling", "mode setting hvac", "mode",
     "heat heating | cool cooling =ac | dry dehumidify | fan_only ~fan ~ventilation | auto automatic"),
    ("lock", "state lock status", "", "locked | unlocked"),
    ("up or down", "direction move", "", "~up upward upwards | ~down downward downwards"),
    ("finish", "finish coating lamination surface", "finish paper lamination coating",
     "matt matte | glossy gloss | satin silk | uncoated"),
    ("binding", "binding", "binding", "stapled saddle_stitch | perfect_bound | spiral wire_bound | hardcover hardback"
     "| paperback softcover"),
    ("sides printed", "sides duplex printing print_mode", "", "single_sided one_sided simplex | double_sided"
     " two_sided duplex"),
    ("ink", "mode ink colour_mode color_mode print", "",
     "black_and_white monochrome mono grayscale greyscale =bw | full_colour full_color =cmyk in_colour in_color"),
    ("orientation", "orientation layout", "", "portrait vertical | landscape horizontal | square"),
    ("paper", "paper size format paper_size", "", "a0 | a1 | a2 | a3 | a4 | a5 | a6 | legal_size | letter_size"),
    ("file format", "format file_format type extension filetype output export target as",
     "",
     "pdf | csv | xlsx xls excel ~spreadsheet | docx word_document =doc | pptx powerpoint | json | xml | html | png"
     "| jpg jpeg | svg | tiff | gif | mp3 | mp4 | wav | epub | parquet | markdown =md | plain_text =txt | zip"),
    ("platform", "platform os operating_system device store target",
     "app users build version release",
     "ios iphone ipad app_store | android play_store | windows win11 win10 | macos mac osx"
     "| linux ubuntu debian | ~web"),
    ("cloud", "cloud provider platform", "", "aws amazon | azure | gcp google_cloud"),
    ("database", "database engine db", "", "postgres postgresql | mysql mariadb | sqlite | mongodb mongo | redis"),
    ("channel", "channel medium via contact_method notify_by method", "",
     "~email ~e_mail ~mail | sms text_message =text | ~phone phone_call ~call telephone ~voice | whatsapp"
     "| slack | push_message"
     " push_notification | ~post by_post postal letter | fax"),
    ("carrier", "carrier courier shipper provider shipping", "",
     "ups | fedex | dhl | dpd | gls | hermes evri | usps | royal_mail | postnl | tnt"),
    ("transport", "vehicle mode transport means travel_mode", "",
     "~car | motorbike motorcycle | bicycle bike | ~van minivan | lorry truck | ~bus coach | train rail | plane flight"
     "| ferry boat | taxi cab | campervan motorhome | on_foot walking"),
    ("car group", "group class category car vehicle", "car class group",
     "~compact | ~economy | ~estate station_wagon | suv | convertible cabriolet | hatchback | saloon sedan | minivan"),
    ("gearbox", "transmission gearbox", "", "~manual | automatic"),
    ("fuel", "fuel fuel_type", "fuel", "petrol gasoline unleaded | diesel | electric =ev | hybrid | lpg | hydrogen"),
    ("species", "species animal animal_type breed_group kind", "",
     "dog canine puppy | cat feline kitten | rabbit bunny | horse equine mare pony | cow cattle bovine heifer | sheep"
     " ovine ewe lamb | goat caprine | pig porcine sow | hamster | guinea_pig | parrot budgie | ferret | tortoise"),
    ("sex", "sex gender", "", "~male man | ~female woman"),
    ("crop", "crop seed variety planting grain", "",
     "wheat | barley | maize corn | oats | rye | rapeseed canola | soybean soy | potato potatoes | rice | sunflower"
     "| sugar_beet"),
    ("flower", "flower flowers stem bouquet variety", "",
     "~rose roses | tulip | lily lilies | carnation | sunflower | orchid | peony peonies | daisy daisies | iris irises"
     "| hydrangea"),
    ("tree", "tree species", "", "~oak | birch | ~beech | pine | spruce | maple | ~cherry | apple | pear"),
    ("wood", "wood material timber finish", "",
     "oak | walnut | pine | beech | maple | cherry | ash | teak | mahogany | birch"),
    ("material", "material fabric metal substance upholstery cover", "",
     "cotton | linen | wool | silk | leather | velvet | polyester | steel stainless_steel | aluminium aluminum | brass"
     "| copper | plastic | glass | ceramic porcelain | gold | silver | zirconia | titanium"
     "| concrete | marble | granite | wood wooden"),
    ("precious metal", "metal alloy material", "ring chain", "gold | silver | platinum"),
    ("tier", "tier plan level package subscription edition membership licence license grade",
     "plan tier package membership subscription edition licence license account level cover",
     "~free | ~basic starter ~lite | ~standard | ~plus | ~premium | ~pro ~professional | enterprise ~business | ~gold"
     "| ~silver | bronze | platinum"),
    ("cover", "cover coverage cover_type policy_type", "cover insurance policy",
     "third_party =tpo | comprehensive fully_comprehensive full_cover =comp | liability"),
    ("contract", "contract employment type contract_type", "contract position role job",
     "permanent =perm | temporary =temp fixed_term | freelance contractor | internship intern"),
    ("working time", "hours employment type working_time schedule", "",
     "full_time fulltime =ft | part_time parttime =pt"),
    ("leave", "leave leave_type type absence reason", "leave",
     "sick sickness =sick_leave | ~annual ~holiday vacation | parental maternity paternity | unpaid"
     "| bereavement compassionate | ~study"),
    ("sample", "sample specimen type material", "sample specimen test",
     "blood | urine | saliva | stool faecal | tissue | swab | serum | plasma"),
    ("imaging", "modality scan type exam imaging", "",
     "mri magnetic_resonance | =ct ct_scan computed_tomography | x_ray xray =xr radiograph | ultrasound =us sonogram"
     "| mammogram mammography | =pet pet_scan"),
    ("body part", "body_part part site region joint area", "",
     "knee | hip | shoulder | elbow | wrist | ankle | hand | foot feet | spine | skull head | chest thorax | abdomen"
     "| pelvis | neck"),
    ("medicine form", "form formulation dosage_form", "",
     "tablet pill | capsule | suspension syrup oral_solution liquid | ointment cream gel | injection | suppository"
     "| drops | inhaler | patch"),
    ("route", "route administration", "", "oral orally by_mouth =po | intravenous =iv | intramuscular =im | topical"
     "| subcutaneous =sc"),
    ("specialty", "department specialty speciality clinic ward service discipline", "",
     "cardiology | dermatology | neurology | oncology | orthopaedics orthopedics | paediatrics pediatrics | radiology"
     "| urology | psychiatry | ophthalmology | gynaecology gynecology | dentistry | ent"),
    ("test result", "result outcome", "test result", "~positive | ~negative | inconclusive"),
    ("temperature scale", "unit units scale", "",
     "celsius centigrade =c =metric | fahrenheit =f =imperial | kelvin =k"),
    ("length unit", "unit units uom", "",
     "kilometre kilometer km | mile | metre meter | ~foot feet ft | inch inches | centimetre centimeter cm | yard"
     "| millimetre millimeter mm"),
    ("weight unit", "unit units uom", "",
     "kilogram kilo kg | ~pound lb lbs | gram | ounce oz | tonne metric_ton ton | milligram mg | microgram mcg µg"),
    ("volume unit", "unit units uom", "", "litre liter | gallon | millilitre milliliter ml | pint | cubic_metre m3"),
    ("data unit", "unit units uom", "", "kb kilobyte | mb megabyte | gb gigabyte | tb terabyte | pb petabyte"),
    ("time unit", "unit units interval_unit duration_unit", "",
     "seconds =second =s =sec | minutes =minute =min | hours =hour =h =hr | days =day =d | weeks =week =w"
     "| months =month | years =year =y"),
    ("packing", "unit packaging package uom container", "",
     "pallet | crate | ~case cases | ~box boxes carton | ~bag bags sack | bottle | ~can cans tin | barrel drum | roll"),
    ("stock move", "direction movement type transaction", "", "inbound receipt incoming | outbound outgoing"),
    ("order side", "side action order_side direction", "order trade", "buy bought purchase | sell sold sale"),
    ("order type", "order_type type", "order",
     "market_order =market | limit_order =limit | stop_order =stop stop_loss"),
    ("interest", "rate_type interest type", "rate mortgage interest",
     "~fixed fixed_rate | ~variable variable_rate tracker"),
    ("ledger side", "side entry type direction posting", "note entry side", "debit =dr | credit =cr"),
    ("tenure", "listing tenure type purpose", "", "for_sale =sale | to_let for_rent =rent =rental =lease"),
    ("dwelling", "property property_type type", "", "flat apartment | detached | semi_detached | terraced | bungalow"
     "| studio | maisonette"),
    ("ownership", "condition state", "", "brand_new | second_hand secondhand ~used pre_owned | refurbished"),
    ("answer", "response rsvp reply attendance answer", "", "accepted accept attending | declined decline"
     " not_attending | tentative ~maybe"),
    ("decision", "decision outcome verdict result resolution", "",
     "approved approve accepted granted | rejected reject declined denied refused | deferred postponed"),
    ("attendance", "status attendance mark", "", "~present | absent | ~late tardy | excused"),
    ("delivery", "delivery fulfilment fulfillment method collection", "",
     "click_and_collect store_pickup =pickup in_store_collection | home_delivery =delivery"),
    ("meeting place", "format location mode venue_type type attendance", "",
     "online virtual remote zoom teams_call video_call | in_person on_site onsite face_to_face | hybrid"),
    ("exam level", "level tier course exam", "course level class group lesson",
     "beginner =a1 novice | intermediate =b1 | ~advanced =c1 | foundation | ~higher"),
    ("voice", "voice part section", "", "soprano | alto | tenor | ~bass | baritone | mezzo"),
    ("instrument", "instrument", "", "piano | violin | viola | cello | flute | clarinet | oboe | trumpet | guitar"
     "| drum | harp | saxophone"),
    ("sport", "sport activity class session court discipline", "",
     "yoga | pilates | spin spinning | zumba | tennis | badminton | squash | football soccer | basketball | swimming"
     "| boxing | hockey | volleyball | rugby | cricket"),
    ("subject", "subject course lesson class", "",
     "maths mathematics math | physics | chemistry | biology | history | geography | economics | philosophy"),
    ("branching", "strategy merge_method method", "", "squash squashed | rebase rebased | merge_commit"),
    ("bump", "bump release release_type version_bump level", "release version bump", "~major | ~minor | ~patch"),
    ("log level", "level log_level verbosity", "level logging", "debug | ~info | ~warning warn | ~error | ~trace"),
    ("theme", "theme appearance mode", "mode theme", "~dark | ~light"),
    ("speed", "speed setting level intensity strength", "speed setting mode", "~slow ~low | ~medium | ~fast ~high"),
    ("waste", "waste bin stream type collection waste_type", "bin bins waste collection",
     "recycling | compost organic garden_waste ~green | general_waste residual refuse"),
    ("hazard", "hazard type incident", "", "fire | flood flooding | theft burglary | storm | earthquake | collision"),
    ("utility", "utility supply commodity fuel service meter_type", "meter supply tariff",
     "electricity electric power | gas | water | heat district_heating | broadband internet"),
    ("direction of a call", "direction call_type", "call calls", "incoming inbound | outgoing outbound"),
    ("ticket kind", "type issue_type kind category", "ticket report", "bug defect | ~feature feature_request | chore"
     "| incident"),
    ("relation", "relation relationship kin", "", "mother mum mom | father dad | brother | sister | son | daughter"
     "| husband | wife | grandmother | grandfather | aunt | uncle"),
    ("marital status", "marital status", "", "single_status | married | divorced | widowed"),
    ("sales stage", "stage deal_stage status pipeline", "",
     "prospecting lead_stage | ~qualified | ~proposal | negotiation | closed_won ~won | closed_lost ~lost"),
    ("work state", "status state column stage list", "",
     "to_do todo backlog | in_progress ~started | in_review ~review | ~done ~completed ~complete ~closed"
     " ~resolved | ~blocked on_hold ~paused | ~cancelled ~canceled"),
    ("region", "region area data_centre datacenter zone", "", "=eu europe emea | =us =na north_america | =apac asia"),
)  # fmt: skip
