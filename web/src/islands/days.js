// @ts-check
// Makes every bar of a strip of days a button: one tab stop per strip, arrow keys by day, and a panel with
// the events. The list below each strip has the same text and stays.

/** @typedef {{ date: string, text: string, isBad: boolean }} Day */

const week = 7
const dayMs = 86_400_000
const language = document.documentElement.lang || 'en'
const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
const monthFormat = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The single days, oldest first; the list has the newest first. @param {Element} strip @returns {Day[]} */
const daysOf = (strip) =>
  [...strip.querySelectorAll('li[data-from]')].toReversed().flatMap((item) => {
    const [from, to] = [item.getAttribute('data-from') ?? '', item.getAttribute('data-to') ?? '']
    const text = item.querySelector('span')?.textContent?.trim() ?? ''
    /** @type {Day[]} */
    const days = []
    for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) {
      days.push({
        date: new Date(at).toISOString().slice(0, 10),
        text,
        isBad: item.hasAttribute('data-incidents'),
      })
    }
    return days
  })

/** @param {Day} day */
const nameOf = ({ date, text }) => `${format.format(Date.parse(date))}: ${text}`

/** @param {string} text */
const button = (text) => {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = text
  return made
}

/** The day that a key moves to. @param {string} key @param {number} index @param {number} count */
const movedTo = (key, index, count) => {
  /** @type {Record<string, number>} */
  const moves = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    Home: 0,
    End: count - 1,
    PageUp: index - week,
    PageDown: index + week,
  }
  return moves[key]
}

/** The texts of each strip's days when its buttons were made. @type {WeakMap<Element, string>} */
const shown = new WeakMap()

/** @param {HTMLElement} strip @param {SVGElement} picture */
const enliven = (strip, picture) => {
  const days = daysOf(strip)
  if (days.length === 0) return
  // the page's own language, if it is not English
  const {
    before: wordBefore,
    after: wordAfter,
    close: wordClose,
    incidents,
    history: path,
  } = strip.closest('[data-before]') instanceof HTMLElement
    ? /** @type {HTMLElement} */ (strip.closest('[data-before]')).dataset
    : strip.dataset
  const bars = days.map((day, index) => {
    const bar = button('')
    bar.setAttribute('aria-label', nameOf(day))
    bar.title = nameOf(day)
    bar.tabIndex = index === days.length - 1 ? 0 : -1
    bar.setAttribute('aria-expanded', 'false')
    return bar
  })
  const toolbar = document.createElement('div')
  toolbar.className = 'day-bars'
  toolbar.setAttribute('role', 'toolbar')
  toolbar.setAttribute('aria-label', picture.getAttribute('aria-label') ?? '')
  toolbar.dataset['own'] = ''
  toolbar.append(...bars)

  // the region must exist before its text is set, or screen readers do not announce it
  const said = document.createElement('div')
  said.setAttribute('role', 'status')
  const [before, after, close] = [
    button(wordBefore ?? 'Day before'),
    button(wordAfter ?? 'Day after'),
    button(wordClose ?? 'Close'),
  ]
  const link = document.createElement('a')
  const acts = document.createElement('p')
  acts.className = 'actions'
  acts.hidden = true
  acts.append(before, after, close, link)
  const panel = document.createElement('div')
  panel.className = 'day-panel'
  panel.dataset['own'] = ''
  panel.append(said, acts)
  picture.after(toolbar)
  picture.parentElement?.after(panel)

  /** @type {number | null} */
  let opened = null

  /** Sets the tab stop. @param {number} index */
  const rove = (index) => {
    for (const [at, bar] of bars.entries()) bar.tabIndex = at === index ? 0 : -1
  }

  /** @param {number} index */
  const focus = (index) => {
    const at = Math.min(days.length - 1, Math.max(0, index))
    rove(at)
    bars[at]?.focus()
  }

  /** @param {number | null} index null closes */
  const show = (index) => {
    for (const [at, bar] of bars.entries()) bar.setAttribute('aria-expanded', String(at === index))
    opened = index
    const day = index === null ? undefined : days[index]
    said.textContent = day === undefined ? '' : nameOf(day)
    acts.hidden = day === undefined
    if (index === null || day === undefined) return
    rove(index)
    before.setAttribute('aria-disabled', String(index === 0))
    after.setAttribute('aria-disabled', String(index === days.length - 1))
    link.hidden = path === undefined || !day.isBad
    link.href = `${path}?month=${day.date.slice(0, 7)}`
    const month = monthFormat.format(Date.parse(day.date))
    link.textContent = (incidents ?? '{month}').replace('{month}', month)
  }

  /** @param {number} by */
  const turn = (by) => {
    const to = (opened ?? 0) + by
    if (days[to] !== undefined) show(to)
  }

  const shut = () => {
    const index = opened
    show(null)
    if (index !== null) focus(index)
  }

  for (const [index, bar] of bars.entries()) {
    bar.addEventListener('click', () => (opened === index ? shut() : show(index)))
  }
  before.addEventListener('click', () => turn(-1))
  after.addEventListener('click', () => turn(1))
  close.addEventListener('click', shut)

  toolbar.addEventListener('keydown', (event) => {
    const index = bars.findIndex((bar) => bar === event.target)
    if (index < 0 || event.ctrlKey || event.altKey || event.metaKey) return
    const to = movedTo(event.key, index, days.length)
    if (to === undefined) return
    event.preventDefault()
    focus(to)
  })
  strip.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || opened === null) return
    event.preventDefault()
    shut()
  })
}

const enlivenAll = () => {
  for (const strip of document.querySelectorAll('.days')) {
    const picture = strip.querySelector('svg.strip')
    if (!(strip instanceof HTMLElement) || !(picture instanceof SVGElement)) continue
    picture.setAttribute('aria-hidden', 'true')
    const text = [...strip.querySelectorAll('li[data-from]')].map((item) => item.textContent).join('\n')
    if (shown.get(strip) === text) continue
    shown.set(strip, text)
    const own = strip.querySelectorAll('[data-own]')
    const hadFocus = [...own].some((part) => part.contains(document.activeElement))
    const at = [...strip.querySelectorAll('.day-bars button')].findIndex(
      (bar) => bar.getAttribute('tabindex') === '0',
    )
    for (const part of own) part.remove()
    enliven(strip, picture)
    const bar = strip.querySelectorAll('.day-bars button')[at]
    if (hadFocus && bar instanceof HTMLElement) bar.focus()
  }
}

enlivenAll()
document.addEventListener('page-content', enlivenAll)
