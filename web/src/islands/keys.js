// @ts-check
// Shortcuts of the dashboard, and what opens its palette, which is loaded on first use (palette.js). Keys without Ctrl
// or ⌘ can be turned off there (WCAG 2.2, 2.1.4).

const sequenceMs = 1_500
const singleKeys = 'probe-mesh-single-keys'

const { palette, search } = document.body.dataset

/** @param {'search' | 'help'} view */
const open = async (view) => {
  if (document.querySelector('dialog[open]') !== null) return
  const module = await import(palette ?? '')
  module.open(view, { search: search ?? '', singleKeys })
}

/** The links that name the rows of a page. */
const rowLinks = () =>
  [
    ...document.querySelectorAll('main .rows tbody th a, main .row-list > li > a, main .row-list h3 a'),
  ].filter((link) => link instanceof HTMLElement && link.offsetParent !== null)

/** @param {1 | -1} step */
const goToRow = (step) => {
  const links = rowLinks()
  const current = links.findIndex(
    (link) => link.closest('tr, li') === document.activeElement?.closest('tr, li'),
  )
  const next = links[current < 0 ? (step > 0 ? 0 : links.length - 1) : current + step]
  if (!(next instanceof HTMLElement)) return
  next.focus()
  next.closest('tr, li')?.scrollIntoView({ block: 'nearest' })
}

const places = new Map([
  ['o', '/dashboard'],
  ['c', '/dashboard/checks'],
  ['i', '/dashboard/incidents'],
  ['e', '/dashboard/errors'],
  ['s', '/dashboard/pages'],
])
const acts = new Map([
  ['/', () => void open('search')],
  ['?', () => void open('help')],
  ['n', () => location.assign('/dashboard/checks/new')],
  ['j', () => goToRow(1)],
  ['k', () => goToRow(-1)],
])

if (palette !== undefined) {
  let startedAt = -Infinity
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    if (key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey) {
      event.preventDefault()
      void open('search')
      return
    }
    if (ctrlKey || metaKey || altKey || event.defaultPrevented || event.isComposing) return
    if (
      !(target instanceof HTMLElement) ||
      target.closest('input, textarea, select, dialog, [contenteditable]')
    )
      return
    if (localStorage.getItem(singleKeys) === 'off') return
    const place = event.timeStamp - startedAt < sequenceMs ? places.get(key) : undefined
    startedAt = key === 'g' ? event.timeStamp : -Infinity
    if (place !== undefined) {
      event.preventDefault()
      return location.assign(place)
    }
    const act = acts.get(key)
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-palette]') : null
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    void open('search')
  })
}
