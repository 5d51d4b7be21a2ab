// @ts-check
// The command palette: finds everything with a name while typing. A combobox with a listbox, in a dialog.

/** @typedef {{ kind: string, text: string, href: string, state?: string }} Entry */

const shownMax = 50

const stateTones = new Map([
  ['down', 'bad'],
  ['degraded', 'uncertain'],
  ['operational', 'good'],
])

/** @type {Promise<(text: string) => Entry[]> | null} */
let searching = null

/** The page's own links: its navigation and its menu of new things. @returns {Entry[]} */
const pageEntries = () => {
  /** @param {string} selector @param {string} kind @param {string} before */
  const links = (selector, kind, before) =>
    [...document.querySelectorAll(selector)].flatMap((link) => {
      if (!(link instanceof HTMLAnchorElement)) return []
      const own = link.cloneNode(true)
      if (own instanceof Element) for (const count of own.querySelectorAll('.count')) count.remove()
      return [{ kind, text: before + (own.textContent ?? '').trim().toLowerCase(), href: link.href }]
    })
  /** @param {Entry} entry */
  const capital = (entry) => ({ ...entry, text: entry.text.charAt(0).toUpperCase() + entry.text.slice(1) })
  return [
    ...links('.top-tools .menu-list a', 'Action', 'New '),
    ...links('nav[aria-label="Dashboard"] a', 'Page', '').map(capital),
  ]
}

/** @returns {Promise<Entry[]>} */
const namedEntries = async () => {
  const response = await fetch('/dashboard-api/palette', { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`the palette answered ${response.status}`)
  const { checks, statusPages, channels, rules } = await response.json()
  /** @param {string[][]} rows @param {string} kind @param {string} path @returns {Entry[]} */
  const entries = (rows, kind, path) =>
    rows.map(([id = '', text = '', , state]) => ({
      kind,
      text,
      href: `/dashboard/${path}/${id}`,
      ...(state === undefined ? {} : { state }),
    }))
  return [
    ...entries(checks, 'Check', 'checks'),
    ...entries(statusPages, 'Status page', 'pages'),
    ...entries(channels, 'Channel', 'channels'),
    ...entries(rules, 'Alert rule', 'rules'),
  ]
}

/** @param {string} searchModule */
const loadSearch = async (searchModule) => {
  const [{ default: UFuzzy }, named] = await Promise.all([
    import(searchModule),
    // pages are found even if the names cannot be loaded
    namedEntries().catch(() => []),
  ])
  const own = pageEntries()
  const all = [...own, ...named]
  const names = all.map(({ text }) => text)
  const fuzzy = new UFuzzy({
    unicode: true,
    interSplit: String.raw`[^\p{L}\d']+`,
    intraSplit: String.raw`\p{Ll}\p{Lu}`,
    intraBound: String.raw`\p{L}\d|\d\p{L}|\p{Ll}\p{Lu}`,
    intraChars: String.raw`[\p{L}\d']`,
    intraContr: String.raw`'\p{L}{1,2}\b`,
  })
  /** @param {string} text */
  return (text) => {
    if (text.trim() === '') return own
    const [found, info, order] = fuzzy.search(names, text, 1, 1_000)
    const ranked = order ? order.map((/** @type {number} */ place) => info.idx[place]) : (found ?? [])
    return ranked.slice(0, shownMax).map((/** @type {number} */ index) => all[index])
  }
}

/** @param {string} name @param {Record<string, string>} attributes @param {(Node | string)[]} content */
const element = (name, attributes, ...content) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...content)
  return made
}

/** Shows a dialog and removes it when it is closed. @param {HTMLElement} dialog */
const show = (dialog) => {
  if (!(dialog instanceof HTMLDialogElement)) return
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  document.body.append(dialog)
  dialog.showModal()
}

/** @param {Entry} entry @param {number} index */
const optionOf = ({ kind, text, state }, index) => {
  const option = element('li', { role: 'option', id: `palette-${index}`, 'aria-selected': 'false' })
  const tone = state === undefined ? undefined : (stateTones.get(state) ?? 'silent')
  option.append(element('bdi', {}, text))
  if (tone !== undefined && tone !== 'good')
    option.append(element('span', { class: `state ${tone}` }, state ?? ''))
  option.append(element('span', { class: 'muted' }, kind))
  return option
}

/** @param {string} searchModule */
const openSearch = (searchModule) => {
  const input = element('input', {
    type: 'text',
    role: 'combobox',
    'aria-label': 'Search',
    'aria-controls': 'palette-list',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'Checks, pages and actions',
  })
  const list = element('ul', { id: 'palette-list', role: 'listbox', 'aria-label': 'Results' })
  const said = element('p', { class: 'muted', role: 'status' }, 'Loading')
  if (!(input instanceof HTMLInputElement)) return
  /** @type {Entry[]} */
  let shown = []
  let chosen = 0
  const choose = (/** @type {number} */ index) => {
    list.children[chosen]?.setAttribute('aria-selected', 'false')
    chosen = index
    const option = list.children[index]
    option?.setAttribute('aria-selected', 'true')
    option?.scrollIntoView({ block: 'nearest' })
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
  }
  const openChosen = () => {
    const entry = shown[chosen]
    if (entry) location.assign(entry.href)
  }
  const update = async () => {
    searching ??= loadSearch(searchModule)
    const find = await searching
    shown = find(input.value)
    list.replaceChildren(...shown.map(optionOf))
    input.setAttribute('aria-expanded', String(shown.length > 0))
    const results = shown.length === shownMax ? `First ${shownMax} results` : `${shown.length} results`
    said.textContent = input.value.trim() === '' ? '' : shown.length === 1 ? '1 result' : results
    choose(0)
  }
  input.addEventListener('input', () => void update())
  input.addEventListener('keydown', (event) => {
    const step = new Map([
      ['ArrowDown', 1],
      ['ArrowUp', -1],
    ]).get(event.key)
    if (step !== undefined && shown.length > 0) {
      event.preventDefault()
      choose((chosen + step + shown.length) % shown.length)
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      // the last input may not be searched yet
      void update().then(openChosen)
    }
  })
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element ? target.closest('[role=option]') : null
    if (option === null) return
    choose([...list.children].indexOf(option))
    openChosen()
  })
  const hint = element('p', { class: 'small-print' })
  hint.append(element('kbd', {}, '↑'), ' ', element('kbd', {}, '↓'), ' select  ')
  hint.append(element('kbd', {}, 'Enter'), ' open  ', element('kbd', {}, 'Esc'), ' close')
  show(
    element(
      'dialog',
      { class: 'palette', 'aria-label': 'Search' },
      input,
      list,
      element('div', { class: 'palette-foot' }, said, hint),
    ),
  )
  void update()
}

/** @type {[string[], string][]} */
const shortcuts = [
  [['Ctrl', 'K'], 'Search (⌘ K on a Mac)'],
  [['/'], 'Search'],
  [['?'], 'Show shortcuts'],
  [['g', 'o'], 'Go to the overview'],
  [['g', 'c'], 'Go to checks'],
  [['g', 'i'], 'Go to incidents'],
  [['g', 'e'], 'Go to errors'],
  [['g', 's'], 'Go to status pages'],
  [['n'], 'New check'],
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Esc'], 'Close'],
]

/** @param {string} singleKeys the storage key for the single-key setting */
const openHelp = (singleKeys) => {
  const rows = shortcuts.map(([keys, text]) =>
    element(
      'div',
      {},
      element('dt', {}, ...keys.map((key) => element('kbd', {}, key))),
      element('dd', {}, text),
    ),
  )
  const box = element('input', { type: 'checkbox', id: 'single-keys' })
  if (box instanceof HTMLInputElement) {
    box.checked = localStorage.getItem(singleKeys) !== 'off'
    box.addEventListener('change', () => localStorage.setItem(singleKeys, box.checked ? 'on' : 'off'))
  }
  const close = element('button', { type: 'button' }, 'Close')
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'shortcuts' },
    element('h2', { id: 'shortcuts' }, 'Keyboard shortcuts'),
    element('dl', { class: 'shortcuts' }, ...rows),
    element(
      'p',
      { class: 'choice' },
      box,
      element('label', { for: 'single-keys' }, 'Use shortcuts of one key'),
    ),
    element('p', { class: 'actions' }, close),
  )
  close.addEventListener('click', () => dialog instanceof HTMLDialogElement && dialog.close())
  show(dialog)
}

/** @param {'search' | 'help'} view @param {{ search: string, singleKeys: string }} means */
export const open = (view, { search, singleKeys }) =>
  view === 'help' ? openHelp(singleKeys) : openSearch(search)
