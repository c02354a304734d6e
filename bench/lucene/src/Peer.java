import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.core.LowerCaseFilterFactory;
import org.apache.lucene.analysis.core.WhitespaceTokenizerFactory;
import org.apache.lucene.analysis.custom.CustomAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.Term;
import org.apache.lucene.monitor.Monitor;
import org.apache.lucene.monitor.MonitorConfiguration;
import org.apache.lucene.monitor.MonitorQuery;
import org.apache.lucene.monitor.MultiMatchingQueries;
import org.apache.lucene.monitor.MultipassTermFilteredPresearcher;
import org.apache.lucene.monitor.Presearcher;
import org.apache.lucene.monitor.QueryMatch;
import org.apache.lucene.monitor.TermFilteredPresearcher;
import org.apache.lucene.monitor.TermWeightor;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;

/**
 * Runs changes against many stored queries in a Lucene Monitor.
 *
 * <p>Arguments: a file of keywords, one a line, in quotes if a phrase; a file of changes, one a
 * line, passages between tabs; a file of words with how often each is in documents; how many
 * queries a commit; the presearcher: {@code term} or {@code multipass}, each also as {@code
 * term-weighted} and {@code multipass-weighted}, which take of a query's words the rarest in
 * documents. Each line printed is a name and values between tabs: µs of CPU time (registration:
 * of this process, matching: of its thread), bytes of heap in use.
 */
final class Peer {
  private static final String TEXT = "text";
  private static final int WARMING = 20;

  /** Some systems count CPU time in ticks of 10 ms. */
  private static final int REPEATS = 5;

  private static Presearcher presearcher;

  private Peer() {}

  public static void main(String[] args) throws Exception {
    List<String> keywords = Files.readAllLines(Path.of(args[0]));
    List<String> changes = Files.readAllLines(Path.of(args[1]));
    presearcher = presearcher(args[4], Files.readAllLines(Path.of(args[2])));
    int batch = Integer.parseInt(args[3]);
    int size = keywords.size();
    Analyzer analyzer =
        CustomAnalyzer.builder()
            .withTokenizer(WhitespaceTokenizerFactory.class)
            .addTokenFilter(LowerCaseFilterFactory.class)
            .build();
    warm(analyzer, keywords.subList(0, Math.min(size, 20_000)), changes);
    long before = heap();
    long start = cpu();
    Monitor monitor = registered(analyzer, keywords, batch);
    System.out.println("registered\t" + (cpu() - start) / 1e3 / size);
    System.out.println("bytes\t" + (double) (heap() - before) / size);
    run(monitor, changes, WARMING);
    for (String change : changes) {
      print("each", change.split("\t"), monitor);
      print("whole", new String[] {change.replace('\t', ' ')}, monitor);
    }
    monitor.close();
  }

  private static Presearcher presearcher(String name, List<String> frequencies) {
    TermWeightor weightor = TermFilteredPresearcher.DEFAULT_WEIGHTOR;
    if (name.endsWith("-weighted")) {
      Map<String, Integer> counts = new HashMap<>();
      for (String line : frequencies) {
        String[] pair = line.split("\t");
        counts.put(pair[0], Integer.valueOf(pair[1]));
      }
      weightor = TermWeightor.termFreqWeightor(counts, 1, 0);
    }
    return name.startsWith("multipass")
        ? new MultipassTermFilteredPresearcher(2, 0, weightor, List.of(), Set.of())
        : new TermFilteredPresearcher(weightor, List.of(), Set.of());
  }

  private static void warm(Analyzer analyzer, List<String> keywords, List<String> changes)
      throws Exception {
    try (Monitor monitor = registered(analyzer, keywords, 5_000)) {
      run(monitor, changes, WARMING);
    }
  }

  private static Monitor registered(Analyzer analyzer, List<String> keywords, int batch)
      throws Exception {
    MonitorConfiguration configuration =
        new MonitorConfiguration()
            .setPurgeFrequency(1, TimeUnit.DAYS)
            .setQueryUpdateBufferSize(batch);
    Monitor monitor = new Monitor(analyzer, presearcher, configuration);
    List<MonitorQuery> queries = new ArrayList<>(batch);
    for (int number = 0; number < keywords.size(); number++) {
      queries.add(new MonitorQuery(Integer.toString(number), query(keywords.get(number))));
      if (queries.size() == batch || number == keywords.size() - 1) {
        monitor.register(queries);
        queries.clear();
        System.err.print("\rLucene Monitor: " + (number + 1) + " queries registered");
      }
    }
    System.err.println();
    return monitor;
  }

  private static Query query(String keyword) {
    String[] words = keyword.replace("\"", "").toLowerCase().split(" ");
    if (words.length == 1) {
      return new TermQuery(new Term(TEXT, words[0]));
    }
    if (keyword.startsWith("\"")) {
      return new PhraseQuery(TEXT, words);
    }
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    for (String word : words) {
      all.add(new TermQuery(new Term(TEXT, word)), Occur.MUST);
    }
    return all.build();
  }

  private static void run(Monitor monitor, List<String> changes, int times) throws Exception {
    for (int n = 0; n < times; n++) {
      matched(monitor, changes.get(n % changes.size()).split("\t"));
      matched(monitor, new String[] {changes.get(n % changes.size()).replace('\t', ' ')});
    }
  }

  private static void print(String name, String[] texts, Monitor monitor) throws Exception {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    TreeSet<Integer> found = matched(monitor, texts);
    long start = threads.getCurrentThreadCpuTime();
    for (int n = 0; n < REPEATS; n++) {
      matched(monitor, texts);
    }
    double time = (threads.getCurrentThreadCpuTime() - start) / 1e3 / REPEATS;
    String numbers = found.stream().map(String::valueOf).collect(Collectors.joining(" "));
    System.out.println(name + "\t" + time + "\t" + numbers);
  }

  private static TreeSet<Integer> matched(Monitor monitor, String[] texts) throws Exception {
    MultiMatchingQueries<QueryMatch> all =
        monitor.match(
            Arrays.stream(texts).map(Peer::document).toArray(Document[]::new),
            QueryMatch.SIMPLE_MATCHER);
    TreeSet<Integer> found = new TreeSet<>();
    for (int n = 0; n < texts.length; n++) {
      for (QueryMatch each : all.getMatches(n)) {
        found.add(Integer.valueOf(each.getQueryId()));
      }
    }
    return found;
  }

  private static Document document(String text) {
    Document document = new Document();
    document.add(new TextField(TEXT, text, Field.Store.NO));
    return document;
  }

  private static long cpu() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static long heap() throws InterruptedException {
    for (int n = 0; n < 3; n++) {
      System.gc();
      Thread.sleep(100);
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
