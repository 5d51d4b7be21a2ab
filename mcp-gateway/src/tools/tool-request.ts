import { argumentOf, type Tool } from '@probe-mesh/contracts/api/tools'
import { fieldProblems, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { ApiRequest } from '../upstream/control-plane.ts'

type Arguments = Readonly<Record<string, unknown>>

/**
 * The REST request of a tool call. Arguments that cannot reach the route, or would reach another one, are
 * refused here, all problems at once (SV-2001); the API checks the rest.
 * @param prefix of the routes of this tool: '' or '/public'
 */
export const toolRequest = (tool: Tool, prefix: string, args: Arguments): ApiRequest | Refusal => {
  const { route } = tool
  const problems: FieldProblem[] = []
  const path = pathOf(tool, args, problems)
  const inPath = new Set(parametersOf(route).map((own) => argumentOf(tool, own)))
  const query = new URLSearchParams()
  const rest: [string, unknown][] = []
  for (const [name, value] of Object.entries(args)) {
    if (inPath.has(name) || value === undefined) continue
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

const pathOf = (tool: Tool, args: Arguments, problems: FieldProblem[]): string => {
  const { params, path } = tool.route
  if (params === undefined) return path
  const given = parametersOf(tool.route).map((own) => [own, args[argumentOf(tool, own)]])
  const parsed = params.safeParse(Object.fromEntries(given))
  if (!parsed.success) {
    const wrong = fieldProblems(parsed.error)
    problems.push(...wrong.map((problem) => ({ ...problem, path: argumentOf(tool, problem.path) })))
    return path
  }
  return path.replace(/:(\w+)/g, (_, own: string) => {
    const text = String(parsed.data[own])
    if (text.isWellFormed()) return encodeURIComponent(text)
    problems.push({ path: argumentOf(tool, own), message: 'must be valid Unicode text' })
    return ''
  })
}

const parametersOf = ({ params }: Tool['route']): string[] => Object.keys(params?.shape ?? {})

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
