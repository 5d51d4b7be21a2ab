// @ts-check
// Shows matches in the documentation while typing. Enter opens the search page, as without this script.

const pauseMs = 120

/** @type {WeakSet<Element>} */
const started = new WeakSet()

/** @param {string} url */
const load = async (url) => {
  const response = await fetch(url, { headers: { accept: 'text/html' } })
  if (!response.ok) throw new Error(`the search answered ${response.status}`)
  return new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-found]')
}

/** @param {Element} form */
export const start = (form) => {
  const input = form.querySelector('input')
  if (!(form instanceof HTMLFormElement) || input === null || started.has(form)) return
  started.add(form)
  let shown = document.querySelector('[data-found]')
  if (shown === null) {
    shown = document.createElement('div')
    form.after(shown)
  }
  const place = shown
  /** @param {boolean} isHidden */
  const hideRest = (isHidden) => {
    for (const part of document.querySelectorAll('[data-unless-found]')) {
      if (part instanceof HTMLElement && !(place.closest('.docs') && part.closest('aside')))
        part.hidden = isHidden
    }
  }
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting
  let asked = 0
  const show = async () => {
    asked += 1
    const own = asked
    const typed = input.value.trim()
    const found = typed === '' ? null : await load(`/docs?q=${encodeURIComponent(typed)}`).catch(() => null)
    // only the latest answer counts
    if (own !== asked || (typed !== '' && found === null)) return
    place.replaceChildren(...(found === null ? [] : found.childNodes))
    hideRest(found !== null)
  }
  input.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => void show(), pauseMs)
  })
}
