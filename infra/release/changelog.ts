/**
 * The part of the changelog for a version: its own section, or the unreleased one.
 * @param text of CHANGELOG.md
 * @throws Error for a changelog with neither
 */
export const changelogOf = (text: string, version: string): string => {
  const sections = text.split(/^(?=## )/m)
  const found =
    sections.find((section) => /^## ([^\s,]+)/.exec(section)?.[1] === version) ??
    sections.find((section) => section.startsWith('## Unreleased'))
  if (found === undefined)
    throw new Error(`CHANGELOG.md has no section of ${version}, and none that is unreleased`)
  return found.replace(/^## .*/, `# Probe Mesh ${version}`).trimEnd() + '\n'
}
