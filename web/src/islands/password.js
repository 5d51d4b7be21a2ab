// @ts-check
// Shows the strength of a new password while typing. The server decides: it also knows common passwords.

const lengthMin = 12

/** @param {string} text @returns {{ level: number, words: string }} level 0 to 3 */
const strengthOf = (text) => {
  const characters = [...text]
  if (characters.length === 0) return { level: 0, words: '' }
  if (characters.length < lengthMin)
    return { level: 1, words: `${characters.length} of ${lengthMin} characters` }
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(text)).length
  const varied = new Set(characters).size
  if (varied < 5) return { level: 1, words: 'Too few different characters' }
  const isStrong = varied >= 8 && characters.length + 2 * kinds >= 20
  return isStrong ? { level: 3, words: 'Strong' } : { level: 2, words: 'Fair: longer is stronger' }
}

/** @type {WeakSet<Element>} */
const started = new WeakSet()

/** @param {Element} part */
export const start = (part) => {
  const input = part.querySelector('input')
  const meter = part.querySelector('meter')
  const said = part.querySelector('[role=status]')
  if (input === null || meter === null || said === null || started.has(part)) return
  started.add(part)
  const show = () => {
    const { level, words } = strengthOf(input.value)
    meter.hidden = level === 0
    meter.value = level
    said.textContent = words
  }
  input.addEventListener('input', show)
  show()
}
