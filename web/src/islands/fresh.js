// @ts-check
// Keeps a page for everybody current: each 30 s, while its tab is visible, asks whether `main[data-fresh]` changed.
// A page that did is taken over in place, and a new headline is announced; one that did not (304) renews the time of
// its data. The attribute is the tag of the page, empty where the page does not know it.

const freshMs = 30_000
const waitMsMax = 10_000

{
  const main = document.querySelector('main[data-fresh]')
  let tag = main?.getAttribute('data-fresh') ?? ''
  let askedAt = performance.now()

  /** A reader in a form or a chart is not disturbed. */
  const isBusy = () => Boolean(document.activeElement?.closest('main form, main .chart, dialog'))

  /** Its own, without what its reader just did. */
  const address = () => {
    const canonical = document.querySelector('link[rel=canonical]')?.getAttribute('href') ?? location.href
    const { pathname, search } = new URL(canonical)
    return `${pathname}${search}`
  }

  const headline = () => document.getElementById('headline')?.textContent?.trim() ?? ''

  /** @param {string | null} asOf */
  const renew = (asOf) => {
    const time = document.querySelector('[data-as-of] time')
    if (asOf === null || time === null) return
    time.setAttribute('datetime', asOf)
    time.removeAttribute('title')
  }

  /** @param {Element} shown @param {Document} newer */
  const takeOver = (shown, newer) => {
    const next = newer.querySelector('main')
    if (next === null) return
    const before = headline()
    morphInto(shown, next)
    takeHead(newer)
    const news = document.getElementById('news')
    if (news !== null && headline() !== before) news.textContent = headline()
  }

  /** @param {Element} shown */
  const refresh = async (shown) => {
    const response = await fetch(address(), {
      // without a tag the browser sends the one of the copy that it keeps
      cache: 'no-cache',
      headers: { accept: 'text/html', ...(tag === '' ? {} : { 'if-none-match': tag }) },
      signal: AbortSignal.timeout(waitMsMax),
    })
    if (response.status === 200 && !response.redirected) {
      takeOver(shown, new DOMParser().parseFromString(await response.text(), 'text/html'))
    } else if (response.status !== 304) return
    tag = response.headers.get('etag') ?? tag
    renew(response.headers.get('as-of'))
    document.dispatchEvent(new Event('page-content'))
  }

  const refreshIfDue = () => {
    if (main === null || document.hidden || performance.now() - askedAt < freshMs || isBusy()) return
    askedAt = performance.now()
    // a page that cannot be read now is asked for again: it says meanwhile how old it is
    refresh(main).catch(() => undefined)
  }

  if (main !== null) {
    setInterval(refreshIfDue, 1_000)
    document.addEventListener('visibilitychange', refreshIfDue)
  }
}
