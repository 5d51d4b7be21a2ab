import {
  createCertificates,
  type Certificates,
} from '@probe-mesh/probe-agent/src/request/testing/certificates'
import type { Case, CaseClass } from './cases/case.ts'
import { setUpClasses } from './set-ups.ts'
import { startCorpusServer } from './testing/server.ts'
import { contents } from './cases/contents.ts'
import { framing } from './cases/framing.ts'
import { heads } from './cases/heads.ts'
import { insertions } from './cases/insertions.ts'
import { protocols } from './cases/protocols.ts'
import { redirects } from './cases/redirects.ts'

/** All cases that one server plays. */
const corpus: readonly CaseClass[] = [
  ...insertions,
  ...heads,
  ...framing,
  ...contents,
  ...redirects,
  ...protocols,
]

/** A case, and the client's result. */
type Played<T> = { each: Omit<Case, 'answer'>; answer: T }
export type PlayedClass<T> = { name: string; cases: readonly Played<T>[] }

/** A client that loads the URL of a case. */
export type Client<T> = { load(url: string): Promise<T>; close(): Promise<void> }

type Job<T> = () => Promise<Played<T>>

/** Plays every case once, in the order of the document, some in parallel. */
export const playCorpus = async <T>(
  start: (certificates: Certificates) => Promise<Client<T>>,
  { atOnce }: { atOnce: number },
): Promise<PlayedClass<T>[]> => {
  const certificates = createCertificates()
  const server = await startCorpusServer(corpus.flatMap(({ cases }) => cases))
  const { load, close } = await start(certificates)
  let number = 0
  const answers = corpus.map(({ name, cases }) => ({
    name,
    jobs: cases.map((each): Job<T> => {
      const url = `http://c${number}.example.com:${server.port}/`
      number += 1
      return async () => ({ each, answer: await load(url) })
    }),
  }))
  const setUps = setUpClasses.map(({ name, setUps }) => ({
    name,
    jobs: setUps.map(({ start: begin, ...each }): Job<T> => {
      const host = `s${number}.example.com`
      number += 1
      return async () => {
        const started = await begin(host, certificates)
        try {
          return { each, answer: await load(started.url) }
        } finally {
          started.close()
        }
      }
    }),
  }))
  try {
    const both = [...setUps, ...answers]
    const played = await work(
      both.flatMap(({ jobs }) => jobs),
      atOnce,
    )
    return both.map(({ name, jobs }) => ({
      name,
      cases: jobs.flatMap((job) => played.get(job) ?? []),
    }))
  } finally {
    await Promise.all([server.close(), close()])
    certificates.remove()
  }
}

const work = async <T>(
  jobs: readonly (() => Promise<T>)[],
  atOnce: number,
): Promise<Map<() => Promise<T>, T>> => {
  const done = new Map<() => Promise<T>, T>()
  const left = [...jobs]
  const one = async (): Promise<void> => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) done.set(job, await job())
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return done
}
