// @ts-check
// Rows with checkboxes: one box ticks all, Shift ticks a range, and the bar shows the count. A filter applies
// when a choice changes.

/** @param {HTMLFormElement} form @returns {HTMLInputElement[]} */
const boxesOf = (form) =>
  [...form.querySelectorAll('tbody input[type=checkbox]')].filter((box) => box instanceof HTMLInputElement)

/** @type {HTMLInputElement | null} */
let last = null

/** @param {HTMLFormElement} form */
const count = (form) => {
  const boxes = boxesOf(form)
  const ticked = boxes.filter(({ checked }) => checked).length
  const text = form.querySelector('[data-count]')
  if (text !== null) text.textContent = `${ticked} selected`
  for (const all of form.querySelectorAll('[data-all]')) {
    if (!(all instanceof HTMLInputElement)) continue
    all.checked = ticked === boxes.length
    all.indeterminate = ticked > 0 && ticked < boxes.length
  }
}

/** In the heading of the column and in the bar, since cards on a phone have no headings. */
const addBoxes = () => {
  for (const place of document.querySelectorAll('form.bulk thead .tick, form.bulk .bulk-bar')) {
    const form = place.closest('form')
    if (form === null || place.querySelector('[data-all]') !== null) continue
    const all = document.createElement('input')
    all.type = 'checkbox'
    all.setAttribute('aria-label', 'Select all')
    all.dataset['keep'] = ''
    all.dataset['all'] = ''
    all.addEventListener('change', () => {
      for (const box of boxesOf(form)) box.checked = all.checked
      count(form)
    })
    if (place.matches('.tick')) place.replaceChildren(all)
    else place.prepend(all)
    count(form)
  }
}

document.addEventListener('click', (event) => {
  const box = event.target
  if (!(box instanceof HTMLInputElement) || box.name !== 'id' || box.form === null) return
  const boxes = boxesOf(box.form)
  if (event.shiftKey && last !== null && boxes.includes(last)) {
    const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].toSorted((a, b) => a - b)
    for (const each of boxes.slice(from, (to ?? 0) + 1)) each.checked = box.checked
  }
  last = box
  count(box.form)
})

document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement && target.form?.matches('[data-filter]'))
    target.form.requestSubmit()
})

addBoxes()
document.addEventListener('page-content', addBoxes)
