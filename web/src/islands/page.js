// @ts-check
// Fetches pages and replaces parts of the current one. Links with `data-swap`, and a chart after a drag,
// change the page in place: the address changes, Back works, and without a script the same links load the
// page. A button with `data-inplace` posts its form and shows the answer in the same way.

/** @param {string} url */
const fetchPage = async (url) => {
  const response = await fetch(url, { headers: { accept: 'text/html' } })
  if (response.redirected) return null
  if (!response.ok) throw new Error(`the page answered ${response.status}`)
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/** The title and the icon of a tab follow the newest page. @param {Document} page */
const takeHead = (page) => {
  document.title = page.title
  const icon = document.querySelector('link[rel=icon]')
  const next = page.querySelector('link[rel=icon]')?.getAttribute('href') ?? ''
  if (next !== '' && icon?.getAttribute('href') !== next) icon?.setAttribute('href', next)
}

/** @param {Element} old @param {Element} next */
const morphInto = (old, next) =>
  Idiomorph.morph(old, [...next.childNodes], {
    morphStyle: 'innerHTML',
    ignoreActiveValue: true,
    callbacks: {
      // additions of scripts and opened parts stay
      beforeNodeMorphed: (node, other) => {
        const areFolds = node instanceof HTMLDetailsElement && other instanceof HTMLDetailsElement
        // but a list of long parts decides itself which of them is open
        if (areFolds && other.dataset['folds'] === undefined) other.open = node.open
        return !(node instanceof HTMLElement && node.dataset['keep'] !== undefined)
      },
      beforeNodeRemoved: (node) => !(node instanceof HTMLElement && node.dataset['own'] !== undefined),
    },
  })

{
  let swaps = 0

  /**
   * Shows the page of a request in place of this one. The newest request wins.
   * @param {() => Promise<Document | null>} load null after a redirect elsewhere
   * @param {() => void} giveUp
   */
  const replaceWith = async (load, giveUp) => {
    swaps += 1
    const own = swaps
    const main = document.querySelector('main')
    try {
      main?.setAttribute('aria-busy', 'true')
      const page = await load()
      if (own !== swaps) return
      const next = page?.querySelector('main')
      if (!page || !next || !main) return giveUp()
      morphInto(main, next)
      takeHead(page)
      document.dispatchEvent(new Event('page-content'))
    } catch {
      giveUp()
    } finally {
      if (own === swaps) main?.removeAttribute('aria-busy')
    }
  }

  /** @param {string} url */
  const swap = (url) =>
    replaceWith(
      () => fetchPage(url),
      () => location.assign(url),
    )

  /** @param {string} url */
  const visit = (url) => {
    if (history.state?.swap !== true) history.replaceState({ swap: true }, '')
    history.pushState({ swap: true }, '', url)
    void swap(url)
  }

  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-swap]') : null
    if (!(link instanceof HTMLAnchorElement)) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return
    event.preventDefault()
    visit(link.href)
  })
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event
    if (!(form instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return
    if (!submitter.hasAttribute('data-inplace')) return
    event.preventDefault()
    const url = new URL(submitter.formAction)
    const body = new URLSearchParams()
    for (const [name, value] of new FormData(form, submitter)) body.append(name, String(value))
    submitter.setAttribute('aria-busy', 'true')
    const load = async () => {
      const response = await fetch(url.pathname, { method: 'POST', body, headers: { accept: 'text/html' } })
      return response.redirected ? null : new DOMParser().parseFromString(await response.text(), 'text/html')
    }
    void replaceWith(load, () => {
      submitter.removeAttribute('data-inplace')
      submitter.click()
    }).then(() => {
      submitter.removeAttribute('aria-busy')
      const part = document.getElementById(url.hash.slice(1))
      const field = part?.querySelector('input:not([type=hidden])')
      const isShown = field instanceof HTMLInputElement && field.offsetParent !== null
      if (isShown) field.focus()
      else part?.focus({ preventScroll: true })
      part?.scrollIntoView({ block: 'nearest' })
    })
  })
  document.addEventListener('visit', (event) => {
    if (event instanceof CustomEvent) visit(event.detail)
  })
  addEventListener('popstate', ({ state }) => {
    if (state?.swap === true) void swap(location.href)
  })

  /** Loads modules for parts that only some pages have. */
  const loadModules = () => {
    for (const part of document.querySelectorAll('[data-module]')) {
      void import(part.getAttribute('data-module') ?? '').then((module) => module.start(part))
    }
  }
  loadModules()
  document.addEventListener('page-content', loadModules)
}
