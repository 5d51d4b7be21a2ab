import { removedMark } from '../../contracts/removed.ts'
import { mayStay, secretName } from './secret-name.ts'

/**
 * Further forms of a name with a value: a quick check, and a pattern with name, separator and value.
 */
const forms: readonly (readonly [RegExp, RegExp])[] = [
  // --password hunter2
  [
    /-[A-Za-z]/,
    /(?<![\w-])(?<name>--?[A-Za-z][\w-]{1,40})(?<between>[ \t]{1,4}["']?)(?<value>[^\s"'-][^\s"']*)/g,
  ],
  // <password>hunter2</password>
  [/</, /<(?<name>[A-Za-z][\w:.-]{0,60})(?<between>(?:\s[^<>]{0,200})?>)(?<value>[^<>]+)/g],
  // <input name="password" value="hunter2">
  [
    /name=/i,
    /\bname=\\?["']?(?<name>[\w.$[\]-]{1,80})(?<between>\\?["']?\s[^<>=]{0,80}value=\\?["']?)(?<value>[^\s"'<>\\]+)/gi,
  ],
  // a part of a form with files
  [
    /name="/,
    /\bname="(?<name>[^"\r\n]{1,80})"(?<between>[^\r\n]{0,200}\r?\n(?:[\w-]{1,60}:[^\r\n]{1,200}\r?\n){0,3}\r?\n)(?<value>[^\r\n]+)/g,
  ],
  // password 'hunter2', password is "hunter2"
  [
    /pass|pwd/i,
    /\b(?<name>password|passwd|pwd|passphrase|passcode)(?<between>\s{1,3}(?:is |was |of |= )?["'`])(?<value>[^"'`\n]{1,400})(?=["'`])/gi,
  ],
]
/** Options with user and password, and SQL clauses. */
const fixed: readonly (readonly [RegExp, string])[] = [
  [/(?<=(?<!\S)(?:-u|--user|--proxy-user)[ \t]{1,4}["']?)[^\s"':/]{1,200}:[^\s"']{1,400}/g, 'credentials'],
  [/(?<=\bidentified (?:with \w{1,40} )?by (?:password )?["'])[^"'\n]{1,400}/gi, 'password'],
]

const fixedHint = /-u|identified/i

/** Removes values after a secret name without a sign. */
export const scrubNamed = (text: string, extraNames: ReadonlySet<string>): string => {
  let rest = text
  for (const [hint, form] of forms) {
    if (!hint.test(rest)) continue
    rest = rest.replaceAll(form, (found: string, ...groups: unknown[]) => {
      const { name = '', between = '', value = '' } = groups.at(-1) as Record<string, string>
      const secret = secretName(name.replace(/^-+/, ''), extraNames)
      if (secret === null || value.startsWith('[removed:') || mayStay(value, secret, name)) return found
      const start = found.slice(0, found.length - between.length - value.length)
      return start + between + removedMark(secret.what)
    })
  }
  if (!fixedHint.test(rest)) return rest
  for (const [pattern, what] of fixed) rest = rest.replaceAll(pattern, removedMark(what))
  return rest
}
