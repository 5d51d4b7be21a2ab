/** Short enough that a UUID without hyphens still fits behind it (contracts, Slug: 63). */
const charactersMax = 30

/** The slug that a name makes: `Acme, Inc.` is `acme-inc`. A name without letters or digits is `status`. Pure. */
export const slugOf = (name: string): string => {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.join('-').slice(0, charactersMax).replace(/-$/, '')
  return slug === '' ? 'status' : slug
}
