// @ts-check
// Keeps the status of checks on a page current by the account's event stream. `[data-check-id]` contains the
// status of one check; a block `[data-live]` is replaced from a newly fetched page. A hidden page closes its
// stream: browsers allow few connections to one host.

const address = '/dashboard-api/events?kinds=flip,incident'
const retryMsMin = 1_000
const retryMsMax = 30_000
/** The stream has a heartbeat every 15 s; a longer silence means a dead connection. */
const silenceMsMax = 40_000
const newsMs = 300
/** The minimum time between two fetches of the page. */
const fetchMsMin = 3_000
/** A page that says `Live` has ages of its readings that are true: without events it is fetched at a heartbeat. */
const fetchedMsMax = 10_000

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
/** Events not yet shown. @type {string[]} */
let told = []
/** Flips received during a fetch of the page, which may be older. @type {Map<string, string>} */
const flips = new Map()

/** @param {string} text */
const sayState = (text) => {
  if (state === null || news === null) return
  state.hidden = false
  state.textContent = text
  state.dataset.state = lostAt === null ? 'live' : 'lost'
  // announced only if it changes: a live page is the normal case
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
  takeHead(newer)
  document.dispatchEvent(new Event('page-content'))
}

/** Fetches the page: for events missed without a stream, and for all parts that depend on a status. */
const catchUp = async () => {
  fetchedAt = performance.now()
  flips.clear()
  fetches += 1
  const own = fetches
  const newer = await fetchPage(location.href)
  if (newer === null) return end()
  // a later fetch is newer
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

/** The session is over: a retry cannot succeed. */
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
  // with jitter, so that pages do not reconnect all at once
  retrying = setTimeout(() => void retry(), waitMs * (0.5 + Math.random() / 2))
}

/** A refused stream has no reason, so the session is checked. */
const retry = async () => {
  try {
    const { status } = await fetch('/dashboard-api/session')
    if (status === 401) return end()
  } catch {
    // also unavailable: the stream reports it
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
  source.addEventListener('beat', () => {
    heard()
    if (performance.now() - fetchedAt > fetchedMsMax) catchUpSoon()
  })
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
    // events between the page and the start of its stream are in neither
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
