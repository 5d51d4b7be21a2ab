// @ts-check
// Refetches a page with a pending result, `#awaited[data-awaited]`, until the fetched page has none. Screen
// readers announce the change.

const lookMs = 2_000
/** No page polls forever. */
const looksMax = 60

const news = document.getElementById('awaited-news')

/** @param {Element | null} block */
const newsIn = (block) => block?.querySelector('[data-news]')?.textContent?.trim() ?? ''

const look = async () => {
  const newer = await fetchPage(location.href)
  const [own, block] = [document.getElementById('awaited'), newer?.getElementById('awaited') ?? null]
  if (own === null || block === null) return
  if (news !== null && newsIn(own) !== newsIn(block)) news.textContent = newsIn(block)
  // the focus may be on the link that refreshes
  const wasInside = own.contains(document.activeElement)
  own.replaceWith(block)
  if (wasInside) block.querySelector('a')?.focus()
  document.dispatchEvent(new Event('page-content'))
}

let looks = 0
const lookOn = () => {
  if (document.querySelector('#awaited[data-awaited]') === null || looks >= looksMax) return
  setTimeout(() => {
    // a hidden page waits until it is visible again
    if (document.hidden) {
      document.addEventListener('visibilitychange', lookOn, { once: true })
      return
    }
    looks += 1
    look()
      .catch(() => {})
      .finally(lookOn)
  }, lookMs)
}

lookOn()
