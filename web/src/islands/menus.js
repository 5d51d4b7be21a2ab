// @ts-check
// Menus close on Escape and on a click elsewhere. A link with `data-confirm` shows its page in a dialog. A
// form shows that it is being sent, and a toast disappears after a while.

const busyMs = 400
const toastMs = 8_000

/** @param {EventTarget | null} target */
const openMenus = (target) =>
  [...document.querySelectorAll('details.menu-of[open]')].filter(
    (menu) => !(target instanceof Node && menu.contains(target)),
  )

document.addEventListener('click', ({ target }) => {
  for (const menu of openMenus(target)) menu.removeAttribute('open')
})
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  for (const menu of openMenus(null)) {
    menu.removeAttribute('open')
    menu.querySelector('summary')?.focus()
  }
})

/** Shows a confirmation page in a dialog. @param {HTMLAnchorElement} link */
const confirmIn = async (link) => {
  const page = await fetchPage(link.href).catch(() => null)
  const content = page?.querySelector('[data-dialog]')
  if (!page || !content) return location.assign(link.href)
  const dialog = document.createElement('dialog')
  dialog.dataset['keep'] = ''
  const heading = document.createElement('h2')
  heading.id = 'dialog-heading'
  heading.textContent = page.querySelector('h1')?.textContent ?? ''
  dialog.setAttribute('aria-labelledby', heading.id)
  dialog.append(heading, content)
  for (const cancel of dialog.querySelectorAll('a[data-cancel]')) {
    cancel.addEventListener('click', (event) => {
      event.preventDefault()
      dialog.close()
    })
  }
  dialog.addEventListener('close', () => {
    dialog.remove()
    link.focus()
  })
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  document.dispatchEvent(new Event('page-content'))
  dialog.showModal()
}

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[data-confirm]') : null
  if (!(link instanceof HTMLAnchorElement)) return
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
  event.preventDefault()
  void confirmIn(link)
})

document.addEventListener('submit', ({ target, submitter }) => {
  if (!(target instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return
  if (target.target !== '' || submitter.formTarget !== '' || submitter.hasAttribute('data-inplace')) return
  // after the submission, which would leave out a disabled button
  const timer = setTimeout(() => submitter.setAttribute('aria-busy', 'true'), busyMs)
  addEventListener('pageshow', () => {
    clearTimeout(timer)
    submitter.removeAttribute('aria-busy')
  })
})

const leaveToasts = () => {
  for (const toast of document.querySelectorAll('.toast:not([data-leaves])')) {
    toast.setAttribute('data-leaves', '')
    const leave = () => {
      // the toast stays while it has the pointer or the focus
      if (toast.matches(':hover, :focus-within')) setTimeout(leave, toastMs)
      else toast.remove()
    }
    setTimeout(leave, toastMs)
  }
}
leaveToasts()
document.addEventListener('page-content', leaveToasts)
