import type { ReadingDetails } from '@probe-mesh/contracts/reading-details'
import { count, milliseconds } from './measures.ts'

/** What a check's type notes besides time and verdict, in a line; empty where nothing worth one. */
export const readingNotes = (details: ReadingDetails | null): string => {
  if (details === null) return ''
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
