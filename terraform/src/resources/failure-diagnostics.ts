import type { Failure } from '../api/failure.ts'
import { errorAt } from '../protocol/diagnostic.ts'
import type { Diagnostic, Path } from '../protocol/diagnostic.ts'
import type { Schema } from '../protocol/schema.ts'
import { attributePath } from './attribute-path.ts'

/** Refusals that are about the key: it is the provider's, and no attribute here is wrong. */
const ofTheKey = new Set(['SV-1001', 'SV-1002', 'SV-1003', 'SV-1004'])

/**
 * A failure as Terraform prints it: each problem at its attribute, the API's message and code as
 * returned. What is about no attribute has an empty path, at which Terraform names the resource.
 * @param undone such as `The check was not created`
 */
export const failureDiagnostics = (
  schema: Schema,
  undone: string,
  { code, message, errors }: Failure,
): Diagnostic[] => {
  const summary = code === null ? undone : `${undone} (${code})`
  if (errors.length > 0) {
    return errors.map((error) => {
      const path = attributePath(schema, error.path)
      return errorAt(path, summary, withField(message, error, path))
    })
  }
  const hint = ofTheKey.has(code ?? '')
    ? '\n\nThe key is `api_key` of the provider, or SERVICE_API_KEY.'
    : ''
  return [errorAt([], summary, `${message}${hint}`)]
}

const withField = (
  message: string,
  problem: { path: string; message: string },
  path: Path,
): string => {
  if (problem.message === message) return message
  const name = path[0] ?? problem.path
  return name === '' ? `${message} ${problem.message}` : `${message}\n\n${name}: ${problem.message}`
}
