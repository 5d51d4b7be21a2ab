// @ts-check
// A button beside every `pre[data-copy]`, which copies its text. Without it, the text is there to be
// selected; where a browser gives pages no clipboard, there is no button.

const saidMs = 3_000

const addButtons = () => {
  // only pages that came encrypted, or from this machine, have a clipboard
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
