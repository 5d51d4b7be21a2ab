import { NestedTooDeep, parseForeignJson } from '@probe-mesh/runtime/foreign-json'
import { z } from 'zod'

// HAR 1.2, as browsers and proxies write it. What a journey does not need is not read.

const pairs = z.array(z.object({ name: z.string(), value: z.string() })).catch([])

const Entry = z
  .object({
    startedDateTime: z.string().catch(''),
    /** Of Chromium: `document`, `xhr`, `fetch`, `script` and others. */
    _resourceType: z.string().nullish().catch(null),
    request: z.object({
      method: z.string(),
      url: z.string(),
      headers: pairs,
      postData: z
        .object({
          mimeType: z.string().catch(''),
          text: z.string().nullish().catch(null),
          params: z
            .array(
              z.object({
                name: z.string(),
                value: z.string().nullish(),
                fileName: z.string().nullish(),
              }),
            )
            .nullish()
            .catch(null),
        })
        .nullish()
        .catch(null),
    }),
    response: z.object({
      status: z.int().catch(0),
      headers: pairs,
      redirectURL: z.string().nullish().catch(null),
      content: z
        .object({
          mimeType: z.string().catch(''),
          text: z.string().nullish().catch(null),
          encoding: z.string().nullish().catch(null),
        })
        .catch({ mimeType: '', text: null, encoding: null }),
    }),
  })
  .transform(({ ['_resourceType']: type, ...entry }) => ({ ...entry, type: type ?? null }))

const HarFile = z.object({ log: z.object({ entries: z.array(z.unknown()) }) })

/** One request with its answer. */
export type Entry = z.infer<typeof Entry>

/** More than the stacks in which Chromium says what started a request. */
const depthMax = 1_000
const entriesMax = 10_000

/** The entries of a file in their order, or why it is none. */
export const entriesIn = (text: string): Entry[] | { problem: string } => {
  const file = HarFile.safeParse(jsonOf(text))
  if (!file.success)
    return {
      problem:
        'The file is not in the format HAR. Export it in the network panel of a browser ("Save all as HAR").',
    }
  const { entries } = file.data.log
  if (entries.length > entriesMax)
    return { problem: `The file has ${entries.length} requests; ${entriesMax} are read at most.` }
  return entries
    .map((each) => Entry.safeParse(each))
    .flatMap((each) => (each.success ? [each.data] : []))
    .toSorted((a, b) => startOf(a) - startOf(b))
}

/** Without a time of its own an entry stays where it is. */
const startOf = ({ startedDateTime }: Entry): number => {
  const at = Date.parse(startedDateTime)
  return Number.isNaN(at) ? 0 : at
}

const jsonOf = (text: string): unknown => {
  try {
    return parseForeignJson(text, depthMax)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NestedTooDeep || error instanceof TypeError)
      return null
    throw error
  }
}

export const headerOf = (headers: Entry['request']['headers'], name: string): string | null =>
  headers.find((each) => each.name.toLowerCase() === name)?.value ?? null
