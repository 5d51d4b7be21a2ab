// @ts-check
// Keeps what a page says of checks current by the account's event stream. `[data-check-id]` holds the
// status of that check; what else follows it is a block `[data-live]`, taken from the page fetched
// anew. A page that is not looked at holds no stream: browsers allow few connections to one host.

const address = '/dashboard-api/events?kinds=flip,incident'
const retryMsMin = 1_000
const retryMsMax = 30_000
/** The stream beats every 15 s: longer silence is a connection that nobody told us the end of. */
const silenceMsMax = 40_000
const newsMs = 300
/** Between two fetches of the page, whatever happens. */
const fetchMsMin = 3_000

const state = document.getElementById('live-state')
const news = document.getElementById('live-news')
const tags = document.getElementById('status-tags')

/** @type {EventSource | null} */
let source = null
let failures = 0
/** @type {Date | null} */
let lostAt = null
/** @type {ReturnType<typeof setTimeout> | undefined} */
let retrying
/** @type {ReturnType<typeof setTimeout> | undefined} */
let listening
/** @type {ReturnType<typeof setTimeout> | undefined} */
let telling
/** @type {ReturnType<typeof setTimeout> | undefined} */
let fetching
let fetchedAt = Number.NEGATIVE_INFINITY
let fetches = 0
/** What was told and not yet said. @type {string[]} */
let told = []
/** Flips that came while the page was fetched, which may be older than they are. @type {Map<string, string>} */
const flips = new Map()

/** @param {string} text */
const sayState = (text) => {
  if (state === null || news === null) return
  state.hidden = false
  state.textContent = text
  state.dataset.state = lostAt === null ? 'live' : 'lost'
  // to be read out only where it changes: that a page is live is what everybody expects
  if (lostAt !== null) news.textContent = text
}

/** @param {string} text */
const tell = (text) => {
  told.push(text)
  telling ??= setTimeout(() => {
    telling = undefined
    const all = told
    told = []
    if (news !== null) {
      news.textContent = all.length > 3 ? `${all.length} checks changed` : `${all.join('. ')}.`
    }
  }, newsMs)
}

/** @param {string} checkId @param {string} status @returns {boolean} whether the page shows the check */
const showStatus = (checkId, status) => {
  const elements = document.querySelectorAll(`[data-check-id="${CSS.escape(checkId)}"]`)
  const content = tags instanceof HTMLTemplateElement ? tags.content : null
  const tag = content?.querySelector(`[data-status="${CSS.escape(status)}"]`)
  for (const element of elements) if (tag) element.replaceChildren(tag.cloneNode(true))
  return elements.length > 0
}

/** @param {Document} newer */
const takeOver = (newer) => {
  for (const block of document.querySelectorAll('[data-live], [data-live-also]')) {
    const attribute = block.hasAttribute('data-live') ? 'data-live' : 'data-live-also'
    const name = block.getAttribute(attribute) ?? ''
    const same = newer.querySelector(`[${attribute}="${CSS.escape(name)}"]`)
    if (same !== null) morphInto(block, same)
  }
  for (const element of newer.querySelectorAll('[data-check-id]')) {
    const id = CSS.escape(element.getAttribute('data-check-id') ?? '')
    for (const own of document.querySelectorAll(`[data-check-id="${id}"]`)) morphInto(own, element)
  }
  for (const [checkId, status] of flips) showStatus(checkId, status)
  document.title = newer.title
  document.dispatchEvent(new Event('page-content'))
}

/** Fetches the page: for what happened while nothing was told, and for all that follows a status. */
const catchUp = async () => {
  fetchedAt = performance.now()
  flips.clear()
  fetches += 1
  const own = fetches
  const newer = await fetchPage(location.href)
  if (newer === null) return end()
  // a page that was fetched later knows more
  if (own === fetches) takeOver(newer)
}

const catchUpSoon = () => {
  fetching ??= setTimeout(
    () => {
      fetching = undefined
      if (source !== null) catchUp().catch(lose)
    },
    Math.max(0, fetchedAt + fetchMsMin - performance.now()),
  )
}

const leave = () => {
  source?.close()
  source = null
  clearTimeout(retrying)
  clearTimeout(listening)
  clearTimeout(fetching)
  fetching = undefined
}

/** The session is over: nothing comes of trying again. */
const end = () => {
  leave()
  lostAt ??= new Date()
  sayState(`Not live since ${clock(lostAt)}: you are logged out. `)
  const link = document.createElement('a')
  link.href = `/login?${new URLSearchParams({ next: location.pathname + location.search })}`
  link.textContent = 'Log in'
  state?.append(link)
}

const lose = () => {
  leave()
  lostAt ??= new Date()
  sayState(`Not live since ${clock(lostAt)}. Trying again.`)
  const waitMs = Math.min(retryMsMax, retryMsMin * 2 ** failures)
  failures += 1
  // apart, so that all pages do not come back in one moment
  retrying = setTimeout(() => void retry(), waitMs * (0.5 + Math.random() / 2))
}

/** A stream that is refused does not say why: the session is asked for. */
const retry = async () => {
  try {
    const { status } = await fetch('/dashboard-api/session')
    if (status === 401) return end()
  } catch {
    // away as well: the stream will say so
  }
  open()
}

/** @param {Date} time */
const clock = (time) => time.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })

const heard = () => {
  clearTimeout(listening)
  listening = setTimeout(lose, silenceMsMax)
}

const open = () => {
  leave()
  if (document.hidden) return
  source = new EventSource(address)
  heard()
  source.addEventListener('error', lose)
  source.addEventListener('lagging', lose)
  source.addEventListener('beat', heard)
  source.addEventListener('incident', () => {
    heard()
    catchUpSoon()
  })
  source.addEventListener('flip', (event) => {
    heard()
    const { flip } = JSON.parse(event.data)
    flips.set(flip.checkId, flip.to)
    if (showStatus(flip.checkId, flip.to)) tell(`${flip.checkName} is ${flip.to}`)
    catchUpSoon()
  })
  source.addEventListener('open', () => {
    // what happened between the page and its stream is told by neither
    catchUp().then(() => {
      if (source === null) return
      failures = 0
      sayState('Live')
      lostAt = null
    }, lose)
  })
}

if (document.querySelector('[data-live]') !== null) {
  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : open()))
  addEventListener('pagehide', leave)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) open()
  })
  addEventListener('offline', lose)
  addEventListener('online', open)
  open()
}
