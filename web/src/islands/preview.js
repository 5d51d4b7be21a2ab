// @ts-check
// Shows unsaved input in the preview frame, a moment after the last key. The form's own button does the same
// in a new tab.

const quietMs = 400

const button = document.querySelector('button[data-preview]')
const first = document.querySelector('iframe[name="preview"]')

if (first instanceof HTMLIFrameElement && button instanceof HTMLButtonElement && button.form) {
  const { form } = button
  let shown = first
  let frames = 0
  /** A loading frame, shown once it has loaded. @type {HTMLIFrameElement | null} */
  let coming = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting

  /** A new frame each time: the first load of a frame adds no entry to the tab's history. */
  const newFrame = () => {
    const frame = document.createElement('iframe')
    for (const { name, value } of shown.attributes) {
      if (name !== 'src') frame.setAttribute(name, value)
    }
    frame.hidden = true
    // a frame keeps its original name, whatever its attribute says later
    frames += 1
    frame.name = `preview-${frames}`
    return frame
  }

  /** @param {HTMLIFrameElement} frame */
  const swap = (frame) => {
    // a later frame replaced this one
    if (frame !== coming) return
    const scrolled = shown.contentWindow?.scrollY ?? 0
    frame.hidden = false
    shown.remove()
    shown = frame
    coming = null
    frame.contentWindow?.scrollTo(0, scrolled)
  }

  const show = () => {
    // removal cancels its loading
    coming?.remove()
    const frame = newFrame()
    coming = frame
    shown.after(frame)
    frame.addEventListener('load', () => swap(frame))
    const { action, target } = form
    form.action = button.formAction
    form.target = frame.name
    form.submit()
    form.action = action
    form.target = target
  }

  form.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(show, quietMs)
  })
  form.addEventListener('submit', () => clearTimeout(waiting))
  // a refused form still contains its input
  if (document.querySelector('.problems') !== null) show()
}
