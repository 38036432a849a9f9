/** The test runner's way to read files without a file system; it works on both runtimes. */
interface ImportMeta {
  glob(
    pattern: string,
    options: { query: '?raw'; eager: true; import: 'default' },
  ): Record<string, string>
}
