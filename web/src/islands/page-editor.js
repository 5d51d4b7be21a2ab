// @ts-check
// The editor of a status page: drag, arrow keys on a grip, and form buttons (without a script) move
// components and groups. A colour field gets a picker. The form's `input` event updates the preview.

/** @param {HTMLFormElement} form @param {HTMLElement} list */
const arrange = (form, list) => {
  const said = form.querySelector('[data-said]')
  const rows = () => [...list.children].filter((row) => row instanceof HTMLElement)
  const changed = () => form.dispatchEvent(new Event('input', { bubbles: true }))

  /** @param {Element} row */
  const nameOf = (row) => {
    const group = row.querySelector('input[name=group]')
    return group instanceof HTMLInputElement
      ? group.value || group.placeholder
      : (row.querySelector('strong')?.textContent?.trim() ?? '')
  }

  /** @param {Element} row */
  const say = (row) => {
    if (said === null) return
    said.textContent = `${nameOf(row)} is at place ${rows().indexOf(/** @type {HTMLElement} */ (row)) + 1} of ${rows().length}. Not saved yet.`
  }

  /** @param {Element} row @param {number} by */
  const move = (row, by) => {
    const other = by < 0 ? row.previousElementSibling : row.nextElementSibling
    if (other === null) return
    if (by < 0) other.before(row)
    else other.after(row)
    say(row)
    changed()
  }

  form.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    const row = button?.closest('[data-row]')
    if (button?.name === 'up' || button?.name === 'down') {
      if (!row) return
      event.preventDefault()
      move(row, button.name === 'up' ? -1 : 1)
      button.focus()
    } else if (button?.name === 'remove' && row) {
      event.preventDefault()
      row.remove()
      changed()
    } else if (button?.name === 'add') {
      event.preventDefault()
      addGroup()
    }
  })

  const template = /** @type {HTMLTemplateElement | null} */ (form.querySelector('template'))
  const addGroup = () => {
    const field = form.querySelector('[name=newGroup]')
    const row = template?.content.firstElementChild?.cloneNode(true)
    if (!(field instanceof HTMLInputElement) || !(row instanceof HTMLElement) || field.value.trim() === '')
      return
    const name = row.querySelector('input')
    if (name) name.value = field.value.trim()
    field.value = ''
    // a group needs a component: a new group starts with the last one
    const last = list.lastElementChild
    if (last === null) list.append(row)
    else last.before(row)
    showGrips()
    say(row)
    changed()
    name?.focus()
  }

  form.addEventListener('keydown', (event) => {
    const grip = event.target instanceof Element ? event.target.closest('[data-grip]') : null
    const row = grip?.closest('[data-row]')
    if (!(grip instanceof HTMLElement) || !row) return
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    move(row, event.key === 'ArrowUp' ? -1 : 1)
    grip.focus()
  })

  /** @type {HTMLElement | null} */
  let dragged = null
  form.addEventListener('pointerdown', (event) => {
    const grip = event.target instanceof Element ? event.target.closest('[data-grip]') : null
    const row = grip?.closest('[data-row]')
    if (!grip || !(row instanceof HTMLElement) || event.button !== 0) return
    dragged = row
    row.classList.add('dragged')
    form.setPointerCapture(event.pointerId)
  })
  form.addEventListener('pointermove', (event) => {
    if (dragged === null) return
    for (const row of rows()) {
      if (row === dragged) continue
      const { top, bottom } = row.getBoundingClientRect()
      if (event.clientY < top || event.clientY > bottom) continue
      if (event.clientY < (top + bottom) / 2) row.before(dragged)
      else row.after(dragged)
      return
    }
  })
  const drop = () => {
    if (dragged === null) return
    dragged.classList.remove('dragged')
    say(dragged)
    dragged = null
    changed()
  }
  form.addEventListener('pointerup', drop)
  form.addEventListener('pointercancel', drop)

  const showGrips = () => {
    for (const grip of list.querySelectorAll('[data-grip]')) grip.removeAttribute('hidden')
  }
  showGrips()
}

/** @param {HTMLInputElement} field */
const pickColour = (field) => {
  const picker = document.createElement('input')
  picker.type = 'color'
  picker.setAttribute('aria-label', 'Pick the accent colour')
  const follow = () => {
    picker.value = /^#[0-9a-f]{6}$/i.test(field.value) ? field.value : '#5b5bd6'
  }
  follow()
  field.addEventListener('input', follow)
  picker.addEventListener('input', (event) => {
    event.stopPropagation()
    field.value = picker.value
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
  const line = document.createElement('span')
  line.className = 'with-picker'
  field.before(line)
  line.append(picker, field)
}

const started = new WeakSet()

/** @param {Element} part */
export const start = (part) => {
  if (!(part instanceof HTMLFormElement) || started.has(part)) return
  started.add(part)
  const list = part.querySelector('.arrange')
  if (list instanceof HTMLElement) arrange(part, list)
  const colour = part.querySelector('[name=accentColor]')
  if (colour instanceof HTMLInputElement) pickColour(colour)
}
