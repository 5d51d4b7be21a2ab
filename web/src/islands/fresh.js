// @ts-check
// Keeps a page that is for everybody current: `main[data-fresh]` is fetched again every 30 s while somebody looks at
// it. A server that has nothing new answers 304, and then nothing changes.

const freshMs = 30_000

{
  const main = document.querySelector('main[data-fresh]')
  let askedAt = performance.now()
  /** @type {string | null} */
  let known = null

  /** A reader in a form, a chart or a strip of days is not disturbed. */
  const isBusy = () => Boolean(document.activeElement?.closest('main form, main .chart, main .days, dialog'))

  /** Its own, without what its reader just did. */
  const address = () => {
    const canonical = document.querySelector('link[rel=canonical]')?.getAttribute('href') ?? location.href
    const { pathname, search } = new URL(canonical)
    return `${pathname}${search}`
  }

  /** @param {Element} shown */
  const refresh = async (shown) => {
    // the browser has the page and its tag, and sends it
    const response = await fetch(address(), { cache: 'no-cache', headers: { accept: 'text/html' } })
    const tag = response.headers.get('etag')
    if (!response.ok || response.redirected || (tag !== null && tag === known)) return
    known = tag
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const next = page.querySelector('main')
    if (next === null) return
    morphInto(shown, next)
    takeHead(page)
    document.dispatchEvent(new Event('page-content'))
  }

  const refreshIfDue = () => {
    if (main === null || document.hidden || performance.now() - askedAt < freshMs || isBusy()) return
    askedAt = performance.now()
    // without an answer the page stays, and says how old it is
    refresh(main).catch(() => undefined)
  }

  if (main !== null) {
    setInterval(refreshIfDue, 1_000)
    document.addEventListener('visibilitychange', refreshIfDue)
  }
}
