import type { NameEvidence, ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { count, milliseconds } from './measures.ts'

/** What a check's type notes besides time and verdict, in a line; empty where nothing worth one. */
export const readingNotes = (details: ReadingDetails | null): string => {
  if (details === null) return ''
  const names = details.names ?? null
  return [typeNotes(details), names === null ? '' : nameNotes(names)].filter(Boolean).join('; ')
}

/** Which name servers were asked about a name that was not resolved, and what each said. */
const nameNotes = ({ name, servers }: NameEvidence): string => {
  if (servers.length === 0) return `${name}: no name server was asked directly`
  return `${name}: ${servers.map((server) => `${server.name} ${server.answer}`).join(', ')}`
}

const typeNotes = (details: ReadingDetails): string => {
  switch (details.type) {
    case 'http':
    case 'multistep':
      return details.notes?.join(', ') ?? ''
    case 'tcp':
      return details.received === null ? '' : `received ${details.received}`
    case 'dns':
      return [
        ...(details.rcode === null ? [] : [details.rcode]),
        ...(details.ttlSeconds === null ? [] : [`TTL ${details.ttlSeconds} s`]),
        ...details.values,
      ].join(', ')
    case 'smtp':
      return [details.banner ?? '', details.tlsVersion ?? 'no TLS'].filter(Boolean).join(', ')
    case 'browser':
      return [
        ...(details.title === null ? [] : [details.title]),
        ...(details.lcpMs === null ? [] : [`largest paint ${milliseconds(details.lcpMs)}`]),
        count(details.requests, 'request'),
        count(details.consoleErrorCount, 'console error'),
      ].join(', ')
    default:
      details satisfies never
      return ''
  }
}
