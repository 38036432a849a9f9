/** The test runner's ways to files and environment without a file system; they work on both runtimes. */
interface ImportMeta {
  /** Variables of the environment whose names begin with `VITE_`. */
  readonly env: Readonly<Record<string, string | undefined>>
  glob(
    pattern: string,
    options: { query: '?raw'; eager: true; import: 'default' },
  ): Record<string, string>
}
