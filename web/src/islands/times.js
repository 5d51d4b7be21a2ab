// @ts-check
// Says every time of a page in the visitor's own zone and language; the UTC text stays as its title.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const { locale, timeZone } = format.resolvedOptions()

const sayZone = () => {
  if (document.getElementById('zone') !== null) return
  const note = document.createElement('p')
  note.id = 'zone'
  note.className = 'muted'
  note.textContent = `Times are in the zone ${timeZone}; the title of each says it in UTC.`
  document.querySelector('main')?.append(note)
}

const sayTimes = () => {
  // a date without a time is the same day everywhere; one with a title is said already
  for (const element of document.querySelectorAll('time[datetime*="T"]:not([title])')) {
    const instant = new Date(element.getAttribute('datetime') ?? '')
    if (Number.isNaN(instant.getTime())) continue
    element.setAttribute('title', element.textContent)
    element.setAttribute('lang', locale)
    element.textContent = format.format(instant)
    sayZone()
  }
}

sayTimes()
document.addEventListener('page-content', sayTimes)
