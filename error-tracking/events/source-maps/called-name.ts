const identifier = '[\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]{0,99}'

/** `new a.b.Cart<T>(`, `await this.#pay(`, `cart?.pay(`: the last name before the parenthesis. */
// bounded: 1,000 characters are read
const call = new RegExp(
  `^(?:(?:new|await|return|throw|yield\\*?|void) {1,4}){0,3}(?:${identifier}(?:\\[[^\\]]{0,40}\\])? ?(?:\\?\\.|\\.) ?#?){0,12}(${identifier}) ?(?:<[^<>()]{0,100}>)? ?(?:\\?\\.)?\\(`,
  'u',
)

/**
 * The function that is called at the start of a text, such as the rest of a source line from the position in
 * a stack; null if no plain call starts there.
 */
export const calledName = (text: string): string | null => {
  const name = call.exec(text.slice(0, 1_000))?.[1] ?? null
  return name === null || keywords.has(name) ? null : name
}

const keywords = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'super', 'import'])

/** Checked occurrences of a name. */
const occurrencesMax = 50

/** Whether source text defines a function, a method or a value with this name. */
export const definesName = (text: string, name: string): boolean => {
  // linear: a name has at most 100 characters
  if (!new RegExp(`^${identifier}$`, 'u').test(name)) return false
  let checked = 0
  // the nearest first
  for (let at = text.lastIndexOf(name); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(name, at - 1)) {
    if (checked++ === occurrencesMax) return false
    const before = text.slice(Math.max(0, at - 40), at)
    const after = text.slice(at + name.length, at + name.length + 200)
    if (/[\p{ID_Continue}$]$/u.test(before) || /^[\p{ID_Continue}$]/u.test(after)) continue
    // bounded: `before` has 40 characters, `after` 200
    if (/(?:\bfunction\s*\*?|\bclass)\s*$/.test(before)) return true
    // `const pay = `, `pay: function`, `pay: async (`, `pay = (`
    if (/^\s*(?::[^=;{}()]{1,100})?[=:]\s*(?:async\b\s*)?(?:function\b|\(|[\w$]{1,60}\s*=>)/.test(after))
      return true
    // a method: its name starts a statement, and a block follows its parameters
    if (
      /(?:^|[\n;{},]|\b(?:async|static|get|set|public|private|protected|override))\s*[#*]?\s*$/.test(
        before,
      ) &&
      /^\s*(?:<[^<>()]{0,60}>)?\([^()]{0,150}\)\s*(?::[^;{}()]{1,80})?\{/.test(after)
    )
      return true
  }
  return false
}
