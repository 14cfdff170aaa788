import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.EntropyLDiversity;
import org.deidentifier.arx.criteria.RecursiveCLDiversity;

/**
 * Runs ARX for benchmark/peers.py, by its public interface: one request per line on standard input, one answer per line
 * on standard output. Started with ARX and what it needs on the class path:
 *
 *     java -cp arx.jar benchmark/ArxWorker.java
 *
 * A request is name=value pairs between tabs: form, l, c, suppression, table, quasi, sensitive, taxonomies, out. What is
 * published is written in the order of the rows. Unknown columns are left out, the rest of ARX is as it comes.
 */
public class ArxWorker {

    private static final Map<String, Hierarchy> HIERARCHIES = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        String version = ARXAnonymizer.class.getPackage().getImplementationVersion();
        System.out.println("{\"version\": \"" + (version == null ? "" : version) + "\"}");
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            String told;
            try {
                told = answer(parsed(line));
            } catch (Exception wrong) {
                told = "{\"error\": \"" + String.valueOf(wrong).replaceAll("[\"\\\\\\n]", " ") + "\"}";
            }
            System.out.println(told);
            System.out.flush();
        }
    }

    private static Map<String, String> parsed(String line) {
        Map<String, String> asked = new HashMap<>();
        for (String pair : line.split("\t")) {
            int at = pair.indexOf('=');
            asked.put(pair.substring(0, at), pair.substring(at + 1));
        }
        return asked;
    }

    private static String answer(Map<String, String> asked) throws Exception {
        Data data = Data.create(asked.get("table"), StandardCharsets.UTF_8, ',');
        describe(data, asked);
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.setSuppressionLimit(Double.parseDouble(asked.get("suppression")));
        int l = Integer.parseInt(asked.get("l"));
        String sensitive = asked.get("sensitive");
        switch (asked.get("form")) {
            case "distinct":
                configuration.addPrivacyModel(new DistinctLDiversity(sensitive, l));
                break;
            case "entropy":
                configuration.addPrivacyModel(new EntropyLDiversity(sensitive, l));
                break;
            default:
                double c = Double.parseDouble(asked.get("c"));
                configuration.addPrivacyModel(new RecursiveCLDiversity(sensitive, c, l));
        }
        OperatingSystemMXBean machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long began = machine.getProcessCpuTime();
        ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
        DataHandle output = result.getOutput(false);
        double seconds = (machine.getProcessCpuTime() - began) / 1e9;
        if (output == null) {
            return "{\"seconds\": " + seconds + ", \"none\": \"it finds no solution\"}";
        }
        output.save(asked.get("out"), ',');
        return "{\"seconds\": " + seconds + "}";
    }

    private static void describe(Data data, Map<String, String> asked) throws Exception {
        Set<String> quasi = new HashSet<>(Arrays.asList(asked.get("quasi").split(",")));
        DataHandle input = data.getHandle();
        for (int column = 0; column < input.getNumColumns(); column++) {
            String name = input.getAttributeName(column);
            if (quasi.contains(name)) {
                data.getDefinition().setAttributeType(name, hierarchy(asked.get("taxonomies") + "/" + name + ".csv"));
            } else if (name.equals(asked.get("sensitive"))) {
                data.getDefinition().setAttributeType(name, AttributeType.SENSITIVE_ATTRIBUTE);
            } else {
                data.getDefinition().setAttributeType(name, AttributeType.IDENTIFYING_ATTRIBUTE);
            }
        }
    }

    private static Hierarchy hierarchy(String path) throws Exception {
        if (!HIERARCHIES.containsKey(path)) {
            HIERARCHIES.put(path, Hierarchy.create(path, StandardCharsets.UTF_8, ';'));
        }
        return HIERARCHIES.get(path);
    }
}
