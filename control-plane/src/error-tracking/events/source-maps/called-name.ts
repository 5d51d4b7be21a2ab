const identifier = '[\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]{0,99}'

/** `new a.b.Cart<T>(`, `await this.#pay(`, `cart?.pay(`: the last name before the parenthesis. */
const call = new RegExp(
  `^(?:(?:new|await|return|throw|yield\\*?|void) {1,4}){0,3}(?:${identifier}(?:\\[[^\\]]{0,40}\\])? ?(?:\\?\\.|\\.) ?#?){0,12}(${identifier}) ?(?:<[^<>()]{0,100}>)? ?(?:\\?\\.)?\\(`,
  'u',
)

/**
 * The function that is called where a text begins, such as the rest of a line of source from where a
 * stack says that the call is; null where no plain call begins there. Pure.
 */
export const calledName = (text: string): string | null => {
  const name = call.exec(text.slice(0, 1_000))?.[1] ?? null
  return name === null || keywords.has(name) ? null : name
}

const keywords = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'super', 'import'])

/** Mentions of a name that are looked at. */
const lookedMax = 50

/** Whether a text, of source, defines a function, a method or a value of this name. Pure. */
export const definesName = (text: string, name: string): boolean => {
  if (!new RegExp(`^${identifier}$`, 'u').test(name)) return false
  let looked = 0
  // the nearest first
  for (let at = text.lastIndexOf(name); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(name, at - 1)) {
    if (looked++ === lookedMax) return false
    const before = text.slice(Math.max(0, at - 40), at)
    const after = text.slice(at + name.length, at + name.length + 200)
    if (/[\p{ID_Continue}$]$/u.test(before) || /^[\p{ID_Continue}$]/u.test(after)) continue
    if (/(?:\bfunction\s*\*?|\bclass)\s*$/.test(before)) return true
    // `const pay = `, `pay: function`, `pay: async (`, `pay = (`
    if (/^\s*(?::[^=;{}()]{1,100})?[=:]\s*(?:async\b\s*)?(?:function\b|\(|[\w$]{1,60}\s*=>)/.test(after))
      return true
    // a method: its name stands where a statement begins, and a block follows its parameters
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
