// @ts-check
// Adds a copy button to every `pre[data-copy]`. Without a clipboard in the browser there is no button, and
// the text can be selected.

const saidMs = 3_000

const addButtons = () => {
  // only encrypted pages, or pages from this machine, have a clipboard
  if (navigator.clipboard === undefined) return
  for (const block of document.querySelectorAll('pre[data-copy]')) {
    if (!block.nextElementSibling?.matches('.copy')) block.after(buttonFor(block))
  }
}

/** @param {Element} block */
const buttonFor = (block) => {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `Copy ${block.getAttribute('data-copy') ?? ''}`.trim()
  const said = document.createElement('span')
  said.setAttribute('role', 'status')
  const line = document.createElement('p')
  line.className = 'actions copy'
  line.append(button, said)
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(block.textContent ?? '').then(
      () => (said.textContent = 'Copied.'),
      () => (said.textContent = 'The browser refused. Select the text and copy it.'),
    )
    setTimeout(() => (said.textContent = ''), saidMs)
  })
  return line
}

addButtons()
document.addEventListener('page-content', addButtons)
