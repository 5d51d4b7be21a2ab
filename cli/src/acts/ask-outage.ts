import { getAnswer } from '../api/answers-client.ts'
import { askPatiently } from '../api/ask.ts'
import { fail, writeJson } from '../api/failure.ts'
import { boundedFetch } from '../api/open-api.ts'
import { readApiUrl } from '../api/settings.ts'
import type { Act } from '../command-line/command-spec.ts'
import type { Calling } from '../command-line/common-options.ts'
import { lookOf } from '../show/look.ts'
import { outageAnswer } from '../show/outage-answer.ts'
import { writeLines } from './write-lines.ts'

/**
 * Whether a catalog service is down, asked without a key. An answer is an answer whatever it says:
 * it exits 0 also where the service is down or not covered.
 */
export const askOutage: Act<Calling> = async (world, options, [service = '']) => {
  const url = readApiUrl(world, options)
  if (!url.ok) return fail(world, options, [url.failure])
  const { apiUrl } = url
  const asking = { what: `Asking for ${service}`, apiUrl, quiet: options.json }
  const asked = await askPatiently(world, asking, () =>
    getAnswer({ apiUrl, fetch: boundedFetch(world) }, 'isServiceDown', { slug: service }),
  )
  if (!asked.ok) return fail(world, options, asked.failures)
  const { out, environment } = world
  if (options.json) writeJson(out, { version: 1, ...asked.value })
  else writeLines(out, outageAnswer(lookOf(out, environment), asked.value, world.now()))
  return 0
}
