/**
 * The bill of materials of production: every package of the lockfile that is no development package, with its
 * checksum and license, whether it is installed here or not.
 * @returns CycloneDX as JSON, with a line break at its end
 */
export const productionSbom = async (
  root: string,
  npm: (args: readonly string[], cwd: string) => Promise<string>,
): Promise<string> => {
  const flags = ['--sbom-format=cyclonedx', '--sbom-type=application']
  const text = await npm(['sbom', ...flags, '--omit=dev', '--package-lock-only'], root)
  return `${JSON.stringify(JSON.parse(text), null, 2)}\n`
}
