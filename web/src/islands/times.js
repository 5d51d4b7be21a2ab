// @ts-check
// Shows times in the reader's own zone: recent ones as "6s ago", with date, time and zone as the title. Elements with
// `data-exact` show date and time.

/** Beyond this, a date says more than an age. */
const relativeMsMax = 7 * 86_400_000
const tickMs = 5_000

const pageLanguage = document.documentElement.lang || 'en'
// the reader's own variant of the language of the page, such as en-GB
const own = navigator.languages.find((language) => language.split('-')[0] === pageLanguage.split('-')[0])
const language = own ?? pageLanguage
const title = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' })
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' })
const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(language, { style: 'narrow' })
const { timeZone } = exact.resolvedOptions()

const units = /** @type {const} */ ([
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
])

/** @param {number} instantMs @param {number} nowMs */
const relativeText = (instantMs, nowMs) => {
  const differenceMs = instantMs - nowMs
  for (const [unit, ms] of units) {
    if (Math.abs(differenceMs) >= ms) return relative.format(Math.trunc(differenceMs / ms), unit)
  }
  return relative.format(Math.trunc(differenceMs / 1000), 'second')
}

/** @param {Element} element */
const show = (element) => {
  const instant = new Date(element.getAttribute('datetime') ?? '')
  if (Number.isNaN(instant.getTime())) return
  const isFirst = !element.hasAttribute('title')
  if (isFirst) element.setAttribute('title', title.format(instant))
  const isExact = element.hasAttribute('data-exact')
  // what a screen reader announces when it changes keeps its text
  if (!isFirst && (isExact || element.closest('[role=status]') !== null)) return
  const nowMs = Date.now()
  const isFar = Math.abs(instant.getTime() - nowMs) > relativeMsMax
  const text = isExact
    ? exact.format(instant)
    : isFar
      ? date.format(instant)
      : relativeText(instant.getTime(), nowMs)
  if (element.textContent !== text) element.textContent = text
}

/** One statement about the zone on a page. */
const sayZone = () => {
  let note = document.getElementById('zone')
  if (note === null) {
    note = document.createElement('p')
    note.id = 'zone'
    note.className = 'muted'
    document.querySelector('main')?.append(note)
  }
  const text = `Times are in ${timeZone}.`
  if (note.textContent !== text) note.textContent = text
}

const showAll = () => {
  // a date without a time is the same day everywhere
  const times = document.querySelectorAll('time[datetime*="T"]')
  for (const element of times) show(element)
  if (times.length > 0) sayZone()
}

showAll()
document.addEventListener('page-content', showAll)
setInterval(showAll, tickMs)
