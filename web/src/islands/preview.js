// @ts-check
// Shows in the frame of a preview what is typed and not saved, a moment after the last key. The
// form's own button does the same in a new tab; a later sending ends an earlier one by itself.

const quietMs = 400

const frame = document.querySelector('iframe[name="preview"]')
const button = document.querySelector('button[data-preview]')

if (frame instanceof HTMLIFrameElement && button instanceof HTMLButtonElement && button.form) {
  const { form } = button
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting

  const show = () => {
    const { action, target, noValidate } = form
    form.action = button.formAction
    form.target = frame.name
    form.noValidate = true
    // `submit` of the form asks nobody; its address is the frame's own, so that no history grows
    form.submit()
    form.action = action
    form.target = target
    form.noValidate = noValidate
  }

  const showSoon = () => {
    clearTimeout(waiting)
    waiting = setTimeout(show, quietMs)
  }

  form.addEventListener('input', showSoon)
  form.addEventListener('submit', () => clearTimeout(waiting))
  // a form that was refused has what was typed
  if (document.querySelector('.problems') !== null) show()
}
