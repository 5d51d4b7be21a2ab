// @ts-check
// Shows the problems of a new password while typing, in the server's words. The server decides: it also knows
// common passwords and words.

/** @typedef {{ charactersMin: number, words: Record<'short' | 'own' | 'repeat' | 'fair' | 'good', string> }} Strength */

/** @typedef {{ level: number, words: string }} Judged */

/**
 * @param {string} text @param {readonly string[]} own @param {Strength} strength @returns {Judged} level 0 to
 * 3
 */
const judge = (text, own, { charactersMin, words }) => {
  const characters = [...text]
  if (characters.length === 0) return { level: 0, words: '' }
  // counted as by the server
  if (text.length < charactersMin) return { level: 1, words: words.short }
  if (/^(.{1,4})\1+$/u.test(text)) return { level: 1, words: words.repeat }
  if (own.includes(text.toLowerCase())) return { level: 1, words: words.own }
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(text)).length
  const isGood = new Set(characters).size >= 8 && characters.length + 2 * kinds >= 20
  return isGood ? { level: 3, words: words.good } : { level: 2, words: words.fair }
}

/** @type {WeakSet<Element>} */
const started = new WeakSet()

/** @param {HTMLElement} part */
export const start = (part) => {
  const input = part.querySelector('input')
  const meter = part.querySelector('meter')
  const said = part.querySelector('[role=status]')
  if (input === null || meter === null || said === null || started.has(part)) return
  started.add(part)
  /** @type {Strength} */
  const strength = JSON.parse(part.dataset['strength'] ?? '{}')
  /** Words that others may know, from the other fields of the form. */
  const own = () =>
    [...(input.form?.querySelectorAll('input') ?? [])]
      .filter(({ name }) => name === 'email' || name === 'accountName')
      .map(({ value }) => value.toLowerCase())
  const show = () => {
    const { level, words } = judge(input.value, own(), strength)
    meter.hidden = level === 0
    meter.value = level
    if (said.textContent !== words) said.textContent = words
  }
  input.addEventListener('input', show)
  show()
}
