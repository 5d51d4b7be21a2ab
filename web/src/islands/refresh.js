// @ts-check
// Keeps a public page current: each 30 s, while its tab is visible, asks whether the page changed. A page that did is
// taken over in place, and a new headline is announced; one that did not renews the time of its data.

const main = document.querySelector('main[data-refresh]')
const everyMs = 30_000
const waitMsMax = 10_000

if (main !== null) {
  let tag = main.getAttribute('data-refresh') ?? ''
  let askedAt = performance.now()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting

  const headline = () => document.getElementById('headline')?.textContent?.trim() ?? ''

  /** @param {string | null} asOf */
  const renew = (asOf) => {
    const time = document.querySelector('[data-as-of] time')
    if (asOf === null || time === null) return
    time.setAttribute('datetime', asOf)
    time.removeAttribute('title')
  }

  /** @param {Document} newer */
  const takeOver = (newer) => {
    const next = newer.querySelector('main')
    if (next === null) return
    const before = headline()
    morphInto(main, next)
    takeHead(newer)
    const news = document.getElementById('news')
    if (news !== null && headline() !== before) news.textContent = headline()
  }

  const ask = async () => {
    askedAt = performance.now()
    const response = await fetch(location.href, {
      headers: { accept: 'text/html', 'if-none-match': tag },
      signal: AbortSignal.timeout(waitMsMax),
    })
    if (response.status === 200 && !response.redirected) {
      takeOver(new DOMParser().parseFromString(await response.text(), 'text/html'))
    } else if (response.status !== 304) return
    tag = response.headers.get('etag') ?? tag
    renew(response.headers.get('as-of'))
    document.dispatchEvent(new Event('page-content'))
  }

  const schedule = () => {
    clearTimeout(waiting)
    if (document.hidden) return
    waiting = setTimeout(
      // a page that cannot be read now is asked for again: the age of its data is shown meanwhile
      () =>
        void ask()
          .catch(() => undefined)
          .finally(schedule),
      Math.max(0, askedAt + everyMs - performance.now()),
    )
  }

  document.addEventListener('visibilitychange', schedule)
  addEventListener('pagehide', () => clearTimeout(waiting))
  addEventListener('pageshow', schedule)
}
