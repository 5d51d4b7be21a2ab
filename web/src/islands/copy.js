// @ts-check
// A button beside every `pre[data-copy]`, which copies its text. Without it, the text is there to be
// selected; where a browser gives pages no clipboard, there is no button.

const saidMs = 3_000

for (const block of document.querySelectorAll('pre[data-copy]')) {
  // only pages that came encrypted, or from this machine, have a clipboard
  if (navigator.clipboard === undefined) break
  const button = document.createElement('button')
  button.type = 'button'
  const name = `Copy ${block.getAttribute('data-copy') ?? ''}`.trim()
  button.textContent = name
  const said = document.createElement('span')
  said.setAttribute('role', 'status')
  const line = document.createElement('p')
  line.className = 'actions copy'
  line.append(button, said)
  block.after(line)
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(block.textContent ?? '').then(
      () => (said.textContent = 'Copied.'),
      () => (said.textContent = 'The browser did not let us: select the text instead.'),
    )
    setTimeout(() => (said.textContent = ''), saidMs)
  })
}
