// @ts-check
// Shows times in the reader's zone: recent ones as "6s ago", with date, time and zone as the title. Elements
// with `data-exact` show date and time (`short` without seconds); those with `data-elapsed` show the time
// since then. Time marks of charts are at whole hours and days of the same zone.

/** Beyond this, a date is clearer than an age. */
const relativeMsMax = 7 * 86_400_000
const tickMs = 1_000

const pageLanguage = document.documentElement.lang || 'en'
// the reader's own variant of the language of the page, such as en-GB
const own = navigator.languages.find((language) => language.split('-')[0] === pageLanguage.split('-')[0])
const language = own ?? pageLanguage
const title = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' })
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' })
const short = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(language, { style: 'narrow' })
const { timeZone } = exact.resolvedOptions()
// forms with a time start in the reader's zone
document.cookie = `zone=${timeZone}; path=/dashboard; max-age=31536000; samesite=lax`

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

/** `2m 10s` @param {number} ms */
const elapsedText = (ms) => {
  const all = Math.max(0, Math.floor(ms / 1000))
  const parts = [
    [Math.floor(all / 86_400), 'd'],
    [Math.floor(all / 3_600) % 24, 'h'],
    [Math.floor(all / 60) % 60, 'm'],
    [all % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count !== 0)
  if (first < 0) return '0s'
  const shown = parts.slice(first, first + 2).filter(([count]) => count !== 0)
  return shown.map((part) => part.join('')).join(' ')
}

/** @param {Element} element */
const show = (element) => {
  const instant = new Date(element.getAttribute('datetime') ?? '')
  if (Number.isNaN(instant.getTime())) return
  const isFirst = !element.hasAttribute('title')
  if (isFirst) element.setAttribute('title', title.format(instant))
  const isExact = element.hasAttribute('data-exact')
  // text that screen readers announce on change stays constant
  if (!isFirst && (isExact || element.closest('[role=status]') !== null)) return
  const nowMs = Date.now()
  const isElapsed = element.hasAttribute('data-elapsed')
  const isFar = Math.abs(instant.getTime() - nowMs) > relativeMsMax
  const text = isElapsed
    ? elapsedText(nowMs - instant.getTime())
    : isExact
      ? (element.getAttribute('data-exact') === 'short' ? short : exact).format(instant)
      : isFar
        ? date.format(instant)
        : relativeText(instant.getTime(), nowMs)
  if (element.textContent !== text) element.textContent = text
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const stepsMs = [
  ...[5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 30].map((days) => days * dayMs),
]
const hourText = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
const dayText = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' })

/**
 * Whole steps of the reader's zone between two instants. @param {number} fromMs @param {number} toMs @param
 * {number} most
 */
const localTicks = (fromMs, toMs, most) => {
  const step = stepsMs.find((each) => (toMs - fromMs) / each <= most) ?? 30 * dayMs
  const midnight = new Date(fromMs)
  midnight.setHours(0, 0, 0, 0)
  const ticks = []
  if (step < dayMs) {
    for (let at = midnight.getTime(); at <= toMs; at += step) if (at >= fromMs) ticks.push(at)
  } else {
    // a day has 23 to 25 hours
    for (let day = midnight; day.getTime() <= toMs; day.setDate(day.getDate() + step / dayMs)) {
      if (day.getTime() >= fromMs) ticks.push(day.getTime())
    }
  }
  return ticks
}

/** @param {string} name @param {Record<string, string | number>} attributes */
const svgElement = (name, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}

/** @param {Element} group */
const showTicks = (group) => {
  const [fromMs, toMs] = [Number(group.getAttribute('data-from')), Number(group.getAttribute('data-to'))]
  const bottom = Number(group.getAttribute('data-ticks'))
  const width = group.parentElement?.clientWidth ?? 600
  const ticks = localTicks(fromMs, toMs, Math.max(2, Math.min(8, Math.floor(width / 80))))
  const key = `${fromMs} ${toMs} ${ticks.length}`
  if (group.getAttribute('data-shown') === key) return
  group.setAttribute('data-shown', key)
  group.replaceChildren(
    ...ticks.flatMap((at) => {
      const x = `${((at - fromMs) / (toMs - fromMs)) * 100}%`
      const date = new Date(at)
      const isDay = date.getHours() === 0 && date.getMinutes() === 0
      const text = svgElement('text', { x, y: bottom + 17 })
      text.textContent = (isDay ? dayText : hourText).format(date)
      return [svgElement('line', { x1: x, x2: x, y1: 8, y2: bottom }), text]
    }),
  )
  group.closest('.chart')?.querySelector('.zone')?.remove()
}

/** States the zone once on a page. */
const sayZone = () => {
  let note = document.getElementById('zone')
  if (note === null) {
    note = document.createElement('p')
    note.id = 'zone'
    note.className = 'muted'
    document.querySelector('main')?.append(note)
  }
  const text = (note.dataset['text'] ?? 'Times are in {zone}.').replace('{zone}', timeZone)
  if (note.textContent !== text) note.textContent = text
}

const showAll = () => {
  // a date without a time is the same day everywhere
  const times = document.querySelectorAll('time[datetime*="T"]')
  for (const element of times) show(element)
  const charts = document.querySelectorAll('[data-ticks]')
  for (const group of charts) showTicks(group)
  if (times.length > 0 || charts.length > 0) sayZone()
}

showAll()
document.addEventListener('page-content', showAll)
setInterval(showAll, tickMs)
addEventListener('resize', showAll)
