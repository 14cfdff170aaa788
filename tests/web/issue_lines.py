"""What the page lacked to be a product, line by line, and the tests in a real browser that hold each of them.

A line that begins with a number is one of the list; "looks" are those of the list of what was seen, "must show" what
was to be shown in the end. A test that needs no browser stands here where it is about arithmetic behind a page.
"""

from __future__ import annotations

RESULT = "tests/web/test_result_pages.py"
LINES = {
    "1 Risk: one verdict, the promise with its assumption, a tile for each attacker on the first screen": (
        f"{RESULT}::test_the_first_screen_of_risk_has_the_verdict_the_promise_and_every_attacker",
    ),
    "1 Risk: amber for attackers that the promise does not cover": (
        f"{RESULT}::test_who_is_not_covered_is_amber_and_says_so_in_words",
    ),
    "1 Risk: worst groups and explanations fold open": (
        f"{RESULT}::test_the_worst_groups_open_by_keyboard_in_the_tile",
    ),
    "1 Risk: no bar straddles 1/l": (
        f"{RESULT}::test_no_bar_lies_on_both_sides_of_the_limit",
        "tests/web/test_schedule.py::test_the_limit_is_an_edge_of_the_bars",
    ),
    "2 Compare: what is set is compared, and your release is marked": (
        f"{RESULT}::test_compare_compares_what_is_set_and_marks_your_release",
    ),
    "2 Compare: a click on a point keeps what a group becomes": (
        f"{RESULT}::test_a_point_of_the_chart_keeps_what_a_group_becomes",
    ),
    "2 Compare: what could not be attacked is unknown": (
        "tests/web/test_schedule.py::test_what_could_not_be_attacked_is_drawn_as_not_known",
        "tests/web/test_unknown.py::test_compare_tells_the_risk_as_it_is_drawn",
    ),
    "2 Compare: the page's font and colours, light and dark": (
        f"{RESULT}::test_charts_have_the_letters_and_the_colours_of_the_page",
    ),
    "3 the last releases are kept in a list with go back": (
        "tests/web/test_nothing_is_lost.py::test_publishing_again_keeps_the_last_release_and_one_can_go_back",
    ),
    "3 Cancel restores": ("tests/web/test_nothing_is_lost.py::test_cancel_and_a_failure_bring_the_last_release_back",),
    "3 a second tab asks first, and the first one says what happened": (
        "tests/web/test_nothing_is_lost.py::test_a_second_tab_asks_before_it_opens_another_table",
    ),
    "4 what cannot be published leads to the nearest settings that can": (
        "tests/web/test_no_dead_ends.py::test_a_setting_that_cannot_be_published_leads_to_those_that_can",
        "tests/web/test_no_dead_ends.py::test_roles_that_cannot_be_published_lead_to_those_that_can",
    ),
    "4 models have form fields": ("tests/web/test_no_dead_ends.py::test_models_are_chosen_with_form_fields",),
    "5 stages with their share of the time": (f"{RESULT}::test_work_shows_its_parts_with_their_share_of_the_time",),
    "5 the estimate does not jump back": (
        "tests/web/test_schedule.py::test_neither_the_bar_nor_the_end_is_ever_taken_back",
    ),
    "5 who would not be done says why before it starts": (
        "tests/web/test_looking.py::test_who_would_not_be_done_in_time_is_not_begun_and_says_why",
    ),
    "6 each guess is shown with a preview that changes as one chooses": (
        "tests/web/test_import.py::test_each_guess_is_shown_and_the_preview_follows_each_choice",
    ),
    "6 spreadsheets and files of statistics packages, labels become categories": (
        "tests/web/test_import.py::test_a_workbook_and_a_survey_with_labels_are_opened",
        "tests/web/test_walk.py::test_labels_of_an_spss_file_are_what_is_published",
    ),
    "7 three hundred columns are found, sorted and given roles at once": (
        "tests/web/test_many_columns.py::test_three_hundred_columns_are_found_sorted_and_given_roles_at_once",
    ),
    "7 what is shown follows each change at once: uniqueness, published as": (
        "tests/web/test_first_look.py::test_what_is_unique_and_how_it_is_published_follow_each_choice",
    ),
    "7 the tree editor: prefilled, by dragging or by keyboard, group under a name, undo": (
        "tests/web/test_tree_editor.py"
        "::test_line_7_a_tree_is_made_with_the_keyboard_alone_and_saved_as_a_schema_file_has_it",
        "tests/web/test_tree_editor.py::test_line_7_values_and_groups_are_dragged_and_what_cannot_be_is_said",
    ),
    "8 before and after: one table of aligned pairs, by page": (
        f"{RESULT}::test_before_and_after_are_one_table_of_aligned_pairs",
    ),
    "8 before and after: a person is found": (f"{RESULT}::test_one_person_is_found_and_is_in_no_address",),
    "9 the project file is saved, run by the command line, and opened again": (
        "tests/web/test_project_file.py::test_a_project_is_saved_run_and_opened_again",
    ),
    "10 one plain word for each thing, no options, one way to write a chance, empty and never null": (
        "tests/web/test_words.py::test_pages_have_one_plain_word_for_each_thing",
        "tests/web/test_words.py::test_chances_are_one_over_a_number_or_in_percent",
    ),
    "looks: what newcomers stumbled on": (
        "tests/web/test_first_look.py::test_labels_of_columns_are_shown_and_say_what_the_columns_are",
        "tests/web/test_first_look.py::test_every_column_at_once_is_given_a_role_by_nobody",
        "tests/web/test_first_look.py::test_the_promise_stands_beside_the_slider_and_rare_settings_are_folded",
        "tests/web/test_first_look.py::test_compare_leads_on_and_says_which_methods_leak",
    ),
    "looks: the upload card shrinks, Next stands above the preview": (
        f"{RESULT}::test_the_table_comes_after_next_and_the_upload_is_folded_once_a_table_is_open",
    ),
    "looks: no orphan tile": (f"{RESULT}::test_the_figures_of_a_release_leave_no_orphan",),
    "looks: green means safe; boxes stand under the words of their radio buttons": (
        f"{RESULT}::test_green_means_safe_and_boxes_stand_under_the_words_of_their_choice",
    ),
    "looks: the narrow Risk table keeps its two key columns": (
        f"{RESULT}::test_on_a_narrow_screen_every_attacker_keeps_both_key_figures",
    ),
    "looks: a favicon and a print style": (f"{RESULT}::test_the_icon_is_there_and_paper_has_the_content_alone",),
    "looks: what is alike stands at one height, and nothing is wider than the window": (
        f"{RESULT}::test_the_tiles_of_a_row_of_attackers_are_aligned",
        "tests/web/test_accessibility.py::test_a_page_with_everything_on_it",
    ),
    "looks: with a keyboard only": (
        "tests/web/test_accessibility.py::test_the_whole_flow_with_tab_and_enter_alone",
        "tests/web/test_accessibility.py::test_the_first_tab_stop_skips_to_the_content",
    ),
    "the bundle's own audit agrees with the page, and both sides say what differs": (
        f"{RESULT}::test_an_audit_of_the_bundle_with_the_groups_agrees_with_the_page",
        "tests/web/test_flow.py::test_the_groups_are_a_private_download_of_their_own",
    ),
    "must show: axe finds nothing serious on any step": (
        "tests/web/test_accessibility.py::test_a_page_with_everything_on_it",
    ),
    "must show: the first step below 150 kB, no layout shift": (
        f"{RESULT}::test_the_first_step_is_light_and_nothing_on_a_page_jumps",
    ),
    "must show: the recorded walk needs no programmer": (
        "tests/web/test_walk.py::test_the_walk_from_a_file_to_the_signed_report",
        "tests/web/test_walk.py::test_the_walk_finds_what_needs_a_programmer",
    ),
}
