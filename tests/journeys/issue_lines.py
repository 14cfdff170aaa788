"""What was found when the tool was tried as a new user would, line by line, and the test that would have caught it."""

from __future__ import annotations

LINES = {
    # the sentence says its assumption
    "the promise says who thinks all ways of handing out the values equally likely, wherever it is shown": (
        "tests/cli/test_the_sentence_says_its_assumption.py::test_publish_and_its_recipe_say_the_assumption",
        "tests/cli/test_the_sentence_says_its_assumption.py::test_the_demo_says_the_assumption",
        "tests/cli/test_the_sentence_says_its_assumption.py::test_the_report_says_the_assumption",
        "tests/cli/test_the_sentence_says_its_assumption.py::test_nothing_says_that_no_method_prevents_learning",
        "tests/web/test_sentence_on_the_page.py::test_every_step_with_a_promise_says_its_assumption",
        "tests/web/test_sentence_on_the_page.py::test_no_page_says_that_no_method_prevents_learning",
    ),
    "how well a guess and the learning attacker do stands beside it, in one line": (
        "tests/contract/test_guessing_beside_the_promise.py::test_the_line_tells_how_often_a_guess_is_right_and_how_often_the_learner_is",
        "tests/web/test_sentence_on_the_page.py::test_risk_says_beside_the_promise_how_guesses_fare_in_a_plain_line",
    ),
    # the roles are safe
    "what determines the sensitive column is no quasi-identifier": (
        "tests/unit/test_determined.py::test_what_determines_the_sensitive_column_is_no_quasi_identifier",
        "tests/unit/test_determined.py::test_what_tells_who_has_one_common_value_is_no_quasi_identifier",
        "tests/unit/test_determined.py::test_three_percent_of_noise_hide_nothing",
        "tests/unit/test_determined.py::test_pay_by_the_month_beside_pay_by_the_year_is_refused_though_both_are_texts",
        "tests/unit/test_determined.py::test_a_function_that_falls_and_rises_gives_the_value_away",
        "tests/unit/test_determined.py::test_what_tells_who_has_the_protected_value_is_refused_however_few_have_it",
        "tests/unit/test_determined.py::test_a_carried_column_is_measured_too",
        "tests/unit/test_determined.py::test_each_way_out_leads_on",
        "tests/journeys/test_census.py::test_wrong_turns_with_a_census_excerpt_are_refused_or_said",
    ),
    "the recipe records an acceptance": (
        "tests/cli/test_safe_roles.py::test_publish_refuses_what_determines_and_takes_an_acceptance",
    ),
    "init and the page show the same figure per column": (
        "tests/cli/test_safe_roles.py::test_init_and_publish_tell_the_same_figure",
        "tests/web/test_safe_roles.py::test_the_page_shows_how_much_each_column_says",
    ),
    "all columns became quasi-identifiers": (
        "tests/journeys/test_drafts.py::test_not_all_columns_become_quasi_identifiers",
    ),
    "an ID column was not seen as identifier": (
        "tests/journeys/test_drafts.py::test_an_id_column_is_seen_as_the_identifier",
    ),
    "SEX, RAC1P, HISP codes became numbers": (
        "tests/journeys/test_drafts.py::test_codes_of_sex_race_and_origin_are_no_numbers",
    ),
    "survey weights and replicate weights became quasi-identifiers": (
        "tests/journeys/test_drafts.py::test_a_weight_is_dropped_with_its_reason",
        "tests/journeys/test_drafts.py::test_a_bodys_weight_is_none_of_the_survey",
    ),
    "SexNumPartnLife is known to others (sex)": (
        "tests/journeys/test_drafts.py::test_the_number_of_partners_is_not_known_to_others",
    ),
    "Diabetes, Depressed, Marijuana were not sensitive": (
        "tests/journeys/test_drafts.py::test_diabetes_depression_and_marijuana_are_sensitive",
    ),
    "-1, 999 and N were not flagged as codes for missing": (
        "tests/journeys/test_drafts.py::test_minus_1_999_and_n_are_codes_for_missing_values",
    ),
    "for N the advice was wrong": (
        "tests/journeys/test_drafts.py::test_the_advice_about_n_works",
        "tests/journeys/test_drafts.py::test_a_role_is_all_that_has_to_be_changed",
    ),
    "a labelled list of at least 300 columns, no sensitive one drafted as quasi, 90 % of roles right": (
        "tests/cli/test_safe_roles.py::test_init_drafts_what_an_expert_would",
    ),
    "a draft without a sensitive column publishes nothing and says three steps": (
        "tests/cli/test_safe_roles.py::test_a_draft_without_a_sensitive_column_publishes_nothing_and_says_three_steps",
    ),
    "a draft with more than ten quasi-identifiers publishes nothing and says three steps": (
        "tests/cli/test_safe_roles.py"
        "::test_a_draft_with_more_than_ten_quasi_identifiers_publishes_nothing_and_says_three_steps",
        "tests/web/test_safe_roles.py::test_more_than_ten_known_columns_of_a_draft_lead_to_three_steps",
    ),
    "the page's suggested roles for Adult do not end in nothing can be published": (
        "tests/web/test_safe_roles.py::test_the_suggested_roles_for_adult_can_be_published",
        "tests/cli/test_safe_roles.py::test_the_suggestion_can_be_published_where_what_looks_sensitive_cannot",
    ),
    "columns that are noise have the role drop with the reason": (
        "tests/cli/test_safe_roles.py::test_columns_that_are_noise_are_dropped_with_the_reason",
    ),
    # the same reading everywhere
    "the schema's missing is ignored for --truth and --population": (
        "tests/cli/test_same_reading.py::test_the_schemas_missing_is_not_ignored_by_any_verb",
        "tests/cli/test_same_reading.py::test_k_map_counts_everybody_whose_value_is_missing",
        "tests/cli/test_same_reading.py::test_the_page_attacks_the_table_that_it_published",
    ),
    "report --original says that nothing was found out and ends with 0": (
        "tests/cli/test_same_reading.py::test_a_report_that_found_nothing_out_does_not_end_with_0",
        "tests/cli/test_verb_report.py::test_a_report_on_a_release_that_is_not_what_it_says_does_not_end_with_0",
    ),
    "a contract test walks all verbs with a schema that uses every field": (
        "tests/cli/test_same_reading.py::test_the_schema_of_this_walk_uses_every_field",
        "tests/cli/test_same_reading.py::test_this_walk_visits_every_verb_that_takes_a_schema",
        "tests/cli/test_same_reading.py::test_values_to_protect_are_read_alike_by_every_verb",
    ),
    "measure ignores carried columns": (
        "tests/cli/test_output_for_people.py::test_measure_counts_classes_with_what_is_carried_as_levels_does",
    ),
    "query-error floors small counts without saying so": (
        "tests/cli/test_output_for_people.py::test_query_error_says_that_small_counts_are_floored",
    ),
    "numbers shown at different places agree, or say why not": (
        "tests/report/test_published_alike.py::test_numbers_shown_at_different_places_agree_or_say_why_not",
    ),
    "integer column names from pandas": ("tests/cli/test_output_for_people.py::test_integer_column_names_of_pandas",),
    "a ^ separator goes unnoticed": (
        "tests/cli/test_output_for_people.py::test_an_unusual_separator_does_not_go_unnoticed",
    ),
    "a headerless file loses its first row": (
        "tests/cli/test_output_for_people.py::test_a_headerless_file_does_not_lose_its_first_row",
    ),
    # output a person can use
    "a set of more than a few values becomes what the order gives, or *": (
        "tests/cli/test_output_for_people.py::test_a_set_of_more_than_a_few_values_becomes_a_star",
        "tests/cli/test_output_for_people.py::test_a_large_set_is_measured_alike_in_memory_and_on_disk",
    ),
    "warn before writing more than ten times the input": (
        "tests/cli/test_output_for_people.py::test_a_release_of_ten_times_the_size_is_announced",
    ),
    "a taxonomy that ruins a column is said, with the better choice": (
        "tests/cli/test_output_for_people.py::test_a_taxonomy_that_ruins_a_column_is_said",
    ),
    "--split-intervals, numbers stay numbers": (
        "tests/cli/test_output_for_people.py::test_split_intervals_numbers_stay_numbers",
    ),
    "dates in day.month.year are understood": (
        "tests/cli/test_output_for_people.py::test_dates_in_day_month_year_are_understood",
    ),
    "top- and bottom-coding per column": (
        "tests/cli/test_output_for_people.py::test_top_and_bottom_coding_per_column",
        "tests/cli/test_output_for_people.py::test_the_ends_of_a_cap_in_percent_are_reached_by_three_people",
    ),
    # verdicts that can pass
    "attack --max-risk judges by default whom the promise covers": (
        "tests/cli/test_verdicts_that_can_pass.py::test_by_default_the_attackers_are_judged_whom_the_promise_covers",
        "tests/cli/test_verdicts_that_can_pass.py::test_the_others_are_reported_beside_it_with_their_figures",
        "tests/cli/test_verdicts_that_can_pass.py::test_adversary_all_judges_all_and_a_named_one_is_judged",
    ),
    "publish says when groups overlap that --keep-groups is needed; the job file and the page have it too": (
        "tests/cli/test_verdicts_that_can_pass.py::test_publish_says_when_groups_overlap_that_they_must_be_kept_for_an_audit",
        "tests/cli/test_verdicts_that_can_pass.py::test_the_job_file_keeps_groups_too",
        "tests/cli/test_verdicts_that_can_pass.py::test_python_runs_such_a_job",
        "tests/web/test_flow.py::test_the_groups_are_a_private_download_of_their_own",
    ),
    "no headline rests on a handful of people, nor on less than guessing": (
        "tests/contract/test_guessing_beside_the_promise.py::test_no_headline_rests_on_a_figure_learned_from_a_handful_of_people",
        "tests/contract/test_guessing_beside_the_promise.py::test_no_headline_rests_on_a_figure_below_guessing",
    ),
    "a budget on every attack, and minimality on Tailor's groups is quick": (
        "tests/cli/test_verdicts_that_can_pass.py::test_minimality_on_tailors_groups_takes_at_most_ten_seconds",
        "tests/cli/test_verdicts_that_can_pass.py::test_who_is_not_done_in_time_shows_nothing_and_says_what_to_do",
        "tests/cli/test_verdicts_that_can_pass.py::test_progress_names_each_attacker_counts_rows_and_never_goes_back",
    ),
    "several sensitive columns get true advice": (
        "tests/cli/test_several_columns.py::test_tailor_makes_one_group_of_a_survey_and_the_advice_is_true",
        "tests/oracle/test_several_columns.py::test_beliefs_in_each_column_stay_within_one_in_l",
    ),
    # must show
    "two journeys from init to the report": (
        "tests/journeys/test_census.py::test_a_census_excerpt_is_published_after_three_edits",
        "tests/journeys/test_health.py::test_a_health_survey_is_published_after_three_edits",
        "tests/journeys/test_health.py::test_wrong_turns_with_a_health_survey_are_refused_or_said",
    ),
}
