import { parse } from 'tldts'
import { z } from 'zod'
import { partsOfEntry } from './secret-host.ts'

const hostsMax = 20
/** A host may be listed with several schemes and ports. */
const entriesMax = 60

const form = /^(?:https?:\/\/)?(?:(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::\d{1,5})?$/
const formMessage =
  'must be a host in lower case, such as api.example.com or *.example.com for https, api.example.com:8443 for another port, or http://api.example.com'

/** What is wrong with an entry; null: nothing. */
const problemOf = (entry: string): string | null => {
  if (!form.test(entry)) return formMessage
  if (entry.includes('..')) return 'has an empty part between two dots'
  const { host, port } = partsOfEntry(entry)
  if (Number(port) < 1 || Number(port) > 65_535) return 'has a port that is not between 1 and 65535'
  const isWild = host.startsWith('*.')
  const base = isWild ? host.slice(2) : host
  if (isWild && isNumeric(base)) return 'covers a part of an IP address; name each address'
  if (isWild && coversSuffix(base)) {
    return `covers the names of everybody below ${base}, a public suffix; name a host or your own domain`
  }
  const written = URL.parse(`https://${base}/`)?.hostname
  if (written === undefined) return 'is not a host'
  return written === base ? null : `must be written as ${written}`
}

/** Such hosts are IPv4 addresses in URLs. */
const isNumeric = (host: string): boolean => /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(host)

/** Whether a name is a public suffix, or one stands right below it, by the list with its private section. */
const coversSuffix = (name: string): boolean =>
  (parse(`a.${name}`, { allowPrivateDomains: true }).publicSuffix ?? '').length >= name.length

const SecretHost = z
  .string()
  .max(270)
  .superRefine((entry, { addIssue }) => {
    const message = problemOf(entry)
    if (message !== null) addIssue({ code: 'custom', message })
  })

/** Entries of a secret, as `secret-host.ts` reads them. */
export const SecretHosts = z
  .array(SecretHost)
  .min(1, 'at least one host is required')
  .max(entriesMax)
  .refine(
    (entries) => new Set(entries.map((entry) => partsOfEntry(entry).host)).size <= hostsMax,
    `must not name more than ${hostsMax} hosts`,
  )
