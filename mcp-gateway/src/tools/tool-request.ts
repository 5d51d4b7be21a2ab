import { refuse } from '@probe-mesh/contracts/refusal'
import type { FieldProblem, Refusal } from '@probe-mesh/contracts/refusal'
import { fieldProblems } from '@probe-mesh/contracts/refusal'
import type { Tool } from '@probe-mesh/contracts/tools'
import type { ApiRequest } from '../upstream/control-plane.ts'

type Arguments = Readonly<Record<string, unknown>>

/**
 * The REST call that a tool call stands for. What only the API can judge is left to it; what would
 * not reach it, or would lead to another route, is refused here, all problems at once (SV-2001).
 * Pure.
 * @param prefix of the routes of this tool: '' or '/public'
 */
export const toolRequest = (tool: Tool, prefix: string, args: Arguments): ApiRequest | Refusal => {
  const { route } = tool
  const problems: FieldProblem[] = []
  const parameters = parametersOf(tool)
  const path = pathOf(tool, parameters, args, problems)
  const query = new URLSearchParams()
  const rest: [string, unknown][] = []
  for (const [name, value] of Object.entries(args)) {
    if (parameters.has(name) || value === undefined) continue
    if (route.query !== undefined && Object.hasOwn(route.query.shape, name)) {
      if (isScalar(value)) query.set(name, String(value))
      else problems.push({ path: name, message: 'must be text or a number' })
    } else if (route.body === undefined) problems.push({ path: name, message: 'unknown field' })
    else rest.push([name, value])
  }
  if (problems.length > 0) return refuse('SV-2001', { errors: problems })
  const search = query.size === 0 ? '' : `?${query}`
  const body = route.body === undefined ? null : JSON.stringify(Object.fromEntries(rest))
  return { method: route.method, path: prefix + path + search, body }
}

/** Every argument that goes into the path, with the route's own name for it. */
const parametersOf = ({ route, parameters = {} }: Tool): Map<string, string> => {
  const renamed = new Map(Object.entries(parameters).map(([name, own]) => [own, name]))
  return new Map(
    Object.keys(route.params?.shape ?? {}).map((own) => [renamed.get(own) ?? own, own]),
  )
}

const pathOf = (
  { route }: Tool,
  parameters: ReadonlyMap<string, string>,
  args: Arguments,
  problems: FieldProblem[],
): string => {
  if (route.params === undefined) return route.path
  const given = Object.fromEntries([...parameters].map(([name, own]) => [own, args[name]]))
  const parsed = route.params.safeParse(given)
  const nameOf = new Map([...parameters].map(([name, own]) => [own, name]))
  if (!parsed.success) {
    problems.push(
      ...fieldProblems(parsed.error).map(({ path, message }) => ({
        path: nameOf.get(path) ?? path,
        message,
      })),
    )
    return route.path
  }
  return route.path.replace(/:(\w+)/g, (_, own: string) => {
    const text = String(parsed.data[own])
    if (text.isWellFormed()) return encodeURIComponent(text)
    problems.push({ path: nameOf.get(own) ?? own, message: 'must be valid Unicode text' })
    return ''
  })
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
