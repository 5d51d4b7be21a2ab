// @ts-check
// Finds services while typing: on the page of all services it hides the others; elsewhere it lists matches
// below the field, from that page. Enter asks the server, as without this script.

const shownMax = 8

/** @typedef {{ element: HTMLElement, name: string, text: string }} Entry */

/** @param {Document} page @returns {Entry[]} */
const entriesOf = (page) =>
  [...page.querySelectorAll('main .tile')].flatMap((element) => {
    if (!(element instanceof HTMLElement)) return []
    const name = (element.querySelector('.tile-name')?.textContent ?? '').trim().toLowerCase()
    const path = element.querySelector('a')?.getAttribute('href') ?? ''
    const group = element.closest('section')?.querySelector('h2')?.textContent ?? ''
    const words = [name, path.split('/').at(-1), element.dataset['find'], element.textContent, group]
    return [{ element, name, text: words.join('\n').toLowerCase() }]
  })

/** @param {string} typed */
const wordsOf = (typed) => typed.toLowerCase().split(/\s+/).filter(Boolean)

/** Names that begin with the text come first. @param {Entry[]} entries @param {string[]} words */
const fitting = (entries, words) => {
  const fits = entries.filter(({ text }) => words.every((word) => text.includes(word)))
  /** @param {Entry} entry */
  const rank = ({ name }) => (name.startsWith(words[0] ?? '') ? 0 : name.includes(words[0] ?? '') ? 1 : 2)
  return fits.toSorted((a, b) => rank(a) - rank(b))
}

/** @param {number} count */
const countText = (count) => (count === 1 ? '1 service' : `${count} services`)

/** @param {string} text */
const say = (text) => {
  const found = document.getElementById('found')
  if (found !== null && found.textContent !== text) found.textContent = text
}

/** @param {HTMLInputElement} input */
const findOnPage = (input) => {
  const words = wordsOf(input.value)
  const entries = entriesOf(document)
  const fits = new Set(fitting(entries, words).map(({ element }) => element))
  for (const { element } of entries) element.hidden = !fits.has(element)
  for (const group of document.querySelectorAll('[data-group]')) {
    if (group instanceof HTMLElement) group.hidden = group.querySelector('.tile:not([hidden])') === null
  }
  if (words.length === 0) return say('')
  say(
    fits.size === 0
      ? 'No service in the catalog fits. Press Enter to look by alias and domain.'
      : countText(fits.size),
  )
}

/** @type {Promise<Entry[]> | null} */
let catalog = null
const loadCatalog = () => {
  catalog ??= fetch('/services', { headers: { accept: 'text/html' } })
    .then(async (response) => {
      if (!response.ok) throw new Error(`the page of services answered ${response.status}`)
      return entriesOf(new DOMParser().parseFromString(await response.text(), 'text/html'))
    })
    .catch(() => {
      catalog = null
      return []
    })
  return catalog
}

/** @param {HTMLInputElement} input */
const findInList = async (input) => {
  const list = document.getElementById('found-list')
  const words = wordsOf(input.value)
  const entries = await loadCatalog()
  // newer input has its own search
  if (list === null || words.join(' ') !== wordsOf(input.value).join(' ')) return
  if (words.length === 0 || entries.length === 0) {
    list.replaceChildren()
    return say('')
  }
  const fits = fitting(entries, words)
  const tiles = document.createElement('ul')
  tiles.className = 'tiles'
  tiles.append(...fits.slice(0, shownMax).map(({ element }) => element.cloneNode(true)))
  list.replaceChildren(...(fits.length === 0 ? [] : [tiles]))
  const more = fits.length > shownMax ? `, ${shownMax} of them shown` : ''
  say(
    fits.length === 0
      ? 'No service in the catalog fits. Press Enter to look by alias and domain.'
      : `${countText(fits.length)}${more}`,
  )
  document.dispatchEvent(new Event('page-content'))
}

/** @type {WeakSet<Element>} */
const started = new WeakSet()

/** @param {Element} form */
export const start = (form) => {
  const input = form.querySelector('input[type=search]')
  if (!(input instanceof HTMLInputElement)) return
  const isHere = form.getAttribute('data-find-in') === 'page'
  if (started.has(form)) return isHere ? findOnPage(input) : undefined
  started.add(form)
  if (isHere) {
    input.addEventListener('input', () => findOnPage(input))
    if (input.value !== '') findOnPage(input)
    return
  }
  input.addEventListener('focus', () => void loadCatalog())
  input.addEventListener('input', () => void findInList(input))
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown') return
    const first = document.querySelector('#found-list a')
    if (!(first instanceof HTMLElement)) return
    event.preventDefault()
    first.focus()
  })
}
