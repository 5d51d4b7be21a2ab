import { listMembers } from './headers.ts'

/** A setting of a program: an environment variable or a command line option. */
export type Setting<T> = {
  kind: Kind<unknown>
  /** Parses the value; null when it is not set. */
  read(text: string | null): Parsed<T>
  /** The default as text for people; null when the setting is required. */
  absent: string | null
  meaning: string
  /** A credential: documents and problems never show its value. */
  isSecret: boolean
}

type Parsed<T> = { ok: true; value: T } | { ok: false; problems: readonly string[] }

/** Parses a text. A problem continues the setting's name: `must be ...`. */
export type Kind<T> = {
  /** The type of the value, for people: `number`, `URL`. */
  form: string
  /** The unit of a number. */
  unit?: string
  parse(text: string): Parsed<T>
}

export type Settings = Readonly<Record<string, Setting<unknown>>>
export type ValuesOf<S extends Settings> = {
  [K in keyof S]: S[K] extends Setting<infer T> ? T : never
}

type More = { isSecret?: boolean }

/** @param problem the error when it is not set; it follows the name */
export const required = <T>(
  kind: Kind<T>,
  meaning: string,
  { problem = 'is required', isSecret = false }: More & { problem?: string } = {},
): Setting<T> => ({
  kind,
  read: (text) => (text === null ? wrong(problem) : kind.parse(text)),
  absent: null,
  meaning,
  isSecret,
})

/** @param absent the effect of no value, as text for people */
export const optional = <T>(
  kind: Kind<T>,
  absent: string,
  meaning: string,
  { isSecret = false }: More = {},
): Setting<T | null> => ({
  kind,
  read: (text) => (text === null ? right(null) : kind.parse(text)),
  absent,
  meaning,
  isSecret,
})

/** @param shown the default as documents show it */
export const withDefault = <T>(
  kind: Kind<T>,
  value: T,
  meaning: string,
  { shown = String(value), isSecret = false }: More & { shown?: string } = {},
): Setting<T> => ({
  kind,
  read: (text) => (text === null ? right(value) : kind.parse(text)),
  absent: shown,
  meaning,
  isSecret,
})

export const right = <T>(value: T): { ok: true; value: T } => ({ ok: true, value })
export const wrong = (...problems: string[]): { ok: false; problems: string[] } => ({
  ok: false,
  problems,
})

export const text: Kind<string> = { form: 'text', parse: right }
export const path: Kind<string> = { form: 'path', parse: right }

export const wholeNumber = (range: { min: number; max: number; unit?: string }): Kind<number> => {
  const { min, max, unit } = range
  return {
    form: `number, ${min} to ${max}`,
    ...(unit === undefined ? {} : { unit }),
    parse: (text) => {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max
        ? right(value)
        : wrong(`must be a whole number from ${min} to ${max}, not ${text}`)
    },
  }
}

export const port: Kind<number> = {
  form: 'number, 0 to 65535',
  parse: (text) =>
    /^\d{1,5}$/.test(text) && Number(text) <= 65_535
      ? right(Number(text))
      : wrong(`must be a number from 0 to 65535, not ${text}`),
}

export const oneOf = <const T extends string>(...choices: readonly T[]): Kind<T> => ({
  form: orOf(choices),
  parse: (text) => {
    const choice = choices.find((each) => each === text)
    return choice === undefined ? wrong(`must be ${orOf(choices)}, not ${text}`) : right(choice)
  },
})

/** A text that matches a pattern. The problem never repeats the text, which may be a secret. */
export const matching = (form: string, rule: RegExp, problem: string): Kind<string> => ({
  form,
  parse: (text) => (rule.test(text) ? right(text) : wrong(problem)),
})

/** A URL may contain a password, so the problem never repeats it. */
export const url = (...protocols: readonly string[]): Kind<string> => {
  const starts = protocols.map((protocol) => (protocol === 'mailto' ? 'mailto:' : `${protocol}://`))
  return {
    form: `URL, ${orOf(starts)}`,
    parse: (text) => {
      const protocol = URL.parse(text)?.protocol.slice(0, -1)
      return protocol !== undefined && protocols.includes(protocol)
        ? right(text)
        : wrong(`must be a URL that starts with ${orOf(starts)}`)
    },
  }
}

/** A comma-separated list. */
export const list = <T>(form: string, parse: (parts: string[]) => Parsed<T>): Kind<T> => ({
  form: `list of ${form}`,
  parse: (text) => parse(listMembers(text)),
})

const orOf = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
