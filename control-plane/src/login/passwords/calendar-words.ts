/**
 * Words that people put before a year, since a rule wants a new password now and then: seasons, months and weekdays in
 * the languages of many users, folded as `folded` does. English ones are here as well, since a word with a year and
 * two marks counts as three strong parts.
 */
const words = `
spring summer autumn fall winter january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday easter christmas
fruhling fruehling fruhjahr fruehjahr sommer herbst januar februar marz maerz mai juni juli oktober dezember montag dienstag
mittwoch donnerstag freitag samstag sonntag ostern weihnachten
printemps ete automne hiver janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre lundi mardi
mercredi jeudi vendredi samedi dimanche paques noel
primavera verano otono invierno enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
lunes martes miercoles jueves viernes sabado domingo navidad
estate autunno inverno gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedi martedi mercoledi
giovedi venerdi pasqua natale
verao outono janeiro fevereiro marco maio junho julho setembro outubro novembro dezembro segunda terca quarta quinta sexta
pascoa natal
lente zomer herfst januari februari maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag pasen kerst
wiosna lato jesien zima styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien
poniedzialek wtorek sroda czwartek piatek sobota niedziela
var sommar host vinter januari februari mars juni juli augusti mandag tirsdag onsdag torsdag fredag lordag sondag
password passwort kennwort motdepasse contrasena senha haslo wachtwoord losenord welcome willkommen bienvenue bienvenido
benvenuto welkom hallo hello bonjour hola ciao
`

const calendar: ReadonlySet<string> = new Set(words.trim().split(/\s+/))

/** Known to all who know this rule of passwords: the examples by which it is explained. */
const examples: readonly string[] = [
  'correcthorsebatterystaple',
  'thequickbrownfoxjumpsoverthelazydog',
  'tobeornottobe',
  'franzjagtimkomplettverwahrlostentaxi',
  'portezcevieuxwhisky',
  'loremipsumdolorsitamet',
  'letmeinplease',
  'openthedoorplease',
]

const withoutAccents = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '')

/** Lower case, without accents. */
const folded = (text: string): string =>
  withoutAccents(text).toLowerCase().replaceAll('ß', 'ss').replaceAll('ł', 'l').replaceAll('ø', 'o')

/** Whether a password is a season, month, day or greeting with a number and marks, such as `Sommer2026!!`. */
export const isCalendarWord = (password: string): boolean => {
  const letters = withoutAccents(password).match(/\p{Lu}?\p{Ll}+|\p{Lu}+/gu) ?? []
  const digits = password.replace(/\P{N}/gu, '')
  return (
    letters.length > 0 && letters.every((each) => calendar.has(folded(each))) && digits.length <= digitsMax
  )
}

/** A day, a month and a year. */
const digitsMax = 8

/** Whether a password is a known example, also with other blanks, marks or a number at its end. */
export const isExample = (password: string): boolean =>
  examples.some((each) => folded(password).replace(/\P{L}/gu, '') === each)
