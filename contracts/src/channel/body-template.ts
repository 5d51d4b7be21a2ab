/** The fields of a message that an owner's template may name. */
export const templateFields = [
  'event',
  'state',
  'severity',
  'title',
  'text',
  'facts',
  'url',
  'at',
  'alertKey',
  'deliveryId',
] as const
export type TemplateField = (typeof templateFields)[number]

export type TemplateContent = 'json' | 'form'

export const templateCharactersMax = 8_000
/** Keeps a rendered body small, whatever its fields contain. */
const fieldsMax = 30

const placeholder = /\{\{([^{}]*)\}\}/g

const isField = (name: string): name is TemplateField => templateFields.some((field) => field === name)

/**
 * Replaces `{{ field }}` by the field's value, escaped for a JSON text or for a form.
 * @param body a template without problems
 */
export const renderTemplate = (
  body: string,
  content: TemplateContent,
  values: Readonly<Record<TemplateField, string>>,
): string =>
  body.replace(placeholder, (whole, inner: string) => {
    const name = inner.trim()
    return isField(name) ? escapes[content](values[name].toWellFormed()) : whole
  })

const escapes: Readonly<Record<TemplateContent, (value: string) => string>> = {
  json: (value) => JSON.stringify(value).slice(1, -1),
  form: (value) => new URLSearchParams([['', value]]).toString().slice(1),
}

/**
 * Invalid outside of a JSON text, and after a backslash or a percent sign in the template. So a template that
 * is valid with it is valid with any value.
 */
const sample = 'x"\n\u2028'

/** Every problem of a template, as ends of sentences about it. */
export const templateProblems = (body: string, content: TemplateContent): string[] => {
  const names = [...body.matchAll(placeholder)].map(([, inner = '']) => inner.trim())
  const unknown = [...new Set(names)].filter((name) => !isField(name))
  const problems = unknown.map(
    (name) => `names the unknown field "${name}"; the fields are ${templateFields.join(', ')}`,
  )
  if (names.length > fieldsMax) problems.push(`must name at most ${fieldsMax} fields`)
  if (body.replace(placeholder, '').includes('{{')) {
    problems.push('has {{ without }}: write a field as {{ title }}')
  }
  if (problems.length > 0) return problems
  const values = Object.fromEntries(templateFields.map((field) => [field, sample]))
  const rendered = renderTemplate(body, content, values as Record<TemplateField, string>)
  return isValid[content](rendered) ? [] : [invalidText[content]]
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const formPair = /^(?:[\w.~*+!'(),;:@/?$[\]-]|%[0-9A-Fa-f]{2})+=(?:[\w.~*+!'(),;:@/?$[\]-]|%[0-9A-Fa-f]{2})*$/

const isValid: Readonly<Record<TemplateContent, (rendered: string) => boolean>> = {
  json: isJson,
  form: (rendered) => rendered.split('&').every((pair) => formPair.test(pair)),
}

const invalidText: Readonly<Record<TemplateContent, string>> = {
  json: 'is not valid JSON with sample values; write fields inside quotes: {"text": "{{ title }}"}',
  form: 'is not a form such as to=4917012345&text={{ title }}; encode other characters with %',
}
